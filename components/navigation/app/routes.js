// Routes on a map that is drawn here: coast and roads of the bundled map, the routes of the tool's result, and their
// steps. Where the operator has named tiles, these lie below.
{
  const t = app.words({
    loading: ["ルートを探しています…", "Searching routes…"], title: ["{0} → {1}", "{0} → {1}"], routes: ["ルートの候補", "Routes"], map: ["地図。矢印キーで移動、＋とーで拡大縮小、0で全体を表示します。", "Map. Arrow keys move it, + and − zoom, 0 shows it all."],
    none: ["ルートが見つかりませんでした。", "No route was found."], more: ["ほかのルートも探す", "Look for other routes"], nomore: ["ほかのルートはありません。", "There is no other route."], searching: ["検索中…", "Searching…"],
    unnamed: ["名前のないルート", "A route without a name"], minutes: ["{0}分", "{0} min"], hours: ["{0}時間", "{0} h"], hoursMinutes: ["{0}時間{1}分", "{0} h {1} min"], traffic: ["渋滞込み {0}", "{0} in traffic"],
    toll: ["料金 {0}", "Toll {0}"], about: ["約{0}", "about {0}"], tollRoads: ["有料区間 {0}", "{0} of toll roads"], steps: ["道順", "Directions"], noSteps: ["このルートの道順はありません。", "There are no directions for this route."], warnings: ["注意", "Please note"],
    fastest: ["最速", "Fastest"], shortest: ["最短", "Shortest"], from: ["出発地", "From"], to: ["目的地", "To"], zoomIn: ["拡大", "Zoom in"], zoomOut: ["縮小", "Zoom out"], fit: ["全体を表示", "Show it all"], chosen: ["{0}を選びました。{1}、{2}。", "{0} chosen: {1}, {2}."],
    credit: ["経路：{0}", "Routes: {0}"], builtin: ["内蔵の道路網", "the built-in network"], signs: ["実際の運転では、現地の標識に従ってください。", "On the road, follow the signs."], failed: ["できませんでした。{0}", "That did not work. {0}"], large: ["大きく表示", "Enlarge"], small: ["元の大きさに戻す", "Back to the chat"],
    stopped: ["呼び出しは取り消されました。", "The call was cancelled."], walking: ["徒歩", "On foot"], bicycling: ["自転車", "By bicycle"], driving: ["車", "By car"], leave: ["{0} に出発", "Leave at {0}"], arrive: ["{0} に到着", "Arrive at {0}"],
  });
  const LAND_BOX = [138.9, 34.85, 140.6, 36.1];
  const LABEL_ZOOM = [7, 10, 11, 12, 8];
  const POINTS_MAX = 200_000;

  let routes = [];
  let details = {};
  let asked = {};
  let lines = [];
  let chosen = 0;
  let step = -1;
  let problem = null;
  let isBusy = false;
  let hasMore = true;
  let isHere = false;
  let isFitted = true; // Whether the sight is still the one that shows all of it.
  let sight = null; // { x, y, zoom }: the world's middle in sight, in units of the world at zoom 0.

  // --- Numbers and places -----------------------------------------------------------------------------------------------

  const project = (lng, lat) => {
    const sin = Math.sin((Math.min(85.0511, Math.max(-85.0511, lat)) * Math.PI) / 180);
    return [(lng / 360 + 0.5) * 256, (0.5 - Math.log((1 + sin) / (1 - sin)) / (4 * Math.PI)) * 256];
  };

  /** A line of precision 5 as points of the world at zoom 0; nothing where it is broken. */
  const decode = (text) => {
    const points = [];
    let [at, lat, lng] = [0, 0, 0];
    const number = () => {
      let [result, shift, byte] = [0, 0, 32];
      while (byte >= 32) {
        byte = text.charCodeAt(at++) - 63;
        if (!(byte >= 0) || shift > 30) throw new Error("broken");
        result |= (byte & 31) << shift;
        shift += 5;
      }
      return result & 1 ? ~(result >> 1) : result >> 1;
    };
    try {
      while (at < text.length && points.length < POINTS_MAX) {
        lat += number();
        lng += number();
        points.push(project(lng / 1e5, lat / 1e5));
      }
    } catch {
      return [];
    }
    return points;
  };

  const time = ({ value }) => {
    const minutes = Math.max(1, Math.round(value / 60));
    if (minutes < 60) return t("minutes", minutes);
    const rest = minutes % 60;
    return rest ? t("hoursMinutes", Math.floor(minutes / 60), rest) : t("hours", minutes / 60);
  };
  const metres = (value) => (value < 1000 ? `${value} m` : `${(value / 1000).toLocaleString(app.locale(), { minimumFractionDigits: 1, maximumFractionDigits: 1 })} km`);
  const toll = (own) => {
    if (!own?.toll && !own?.tollMetres) return null;
    const parts = [];
    if (own.toll) {
      const { currency, amount, isEstimate } = own.toll;
      const text = new Intl.NumberFormat(app.locale(), { style: "currency", currency, maximumFractionDigits: currency === "JPY" ? 0 : 2 }).format(amount);
      parts.push(t("toll", isEstimate ? t("about", text) : text));
    }
    if (own.tollMetres) parts.push(t("tollRoads", metres(own.tollMetres)));
    return parts.join(" · ");
  };
  const clock = (text) => {
    const date = new Date(text ?? "");
    return Number.isNaN(date.getTime()) ? null : new Intl.DateTimeFormat(app.locale(), { dateStyle: "short", timeStyle: "short", ...(app.context.timeZone && { timeZone: app.context.timeZone }) }).format(date);
  };
  const name = (route) => route?.summary || t("unnamed");
  const least = (of) => routes.reduce((best, it, at) => (of(it) < of(routes[best]) ? at : best), 0);
  const seconds = (it) => (it.duration_in_traffic ?? it.duration).value;

  // --- The map ----------------------------------------------------------------------------------------------------------

  const plane = (points) => points.map(([x, y], at) => `${at ? "L" : "M"}${x.toFixed(6)} ${y.toFixed(6)}`).join("");
  const geo = (rings) => rings.map((ring) => plane(ring.map(([lng, lat]) => project(lng, lat)))).join("");
  const ground = (() => {
    let made = null;
    return () => {
      if (made) return made;
      const [west, south, east, north] = LAND_BOX;
      const [x, y] = project(west, north);
      const [right, bottom] = project(east, south);
      const land = LAND.features.map((it) => it.geometry.coordinates.flatMap((polygon) => `${geo(polygon)}Z`).join(""));
      made = [
        s("rect", { class: "sea", x, y, width: right - x, height: bottom - y }),
        s("path", { class: "land", d: land.join(""), "fill-rule": "evenodd" }),
        ...ROADS.features.map((it) => s("path", { class: `road is-${it.properties.class}`, d: geo(it.geometry.coordinates) })),
      ];
      return made;
    };
  })();

  const pane = h("div", { class: "map", id: "map", tabindex: "0", role: "application" });
  const canvas = s("svg", { class: "canvas", "aria-hidden": "true" });
  const tiles = s("g", {});
  const world = s("g", { class: "world" });
  const marks = s("g", {});
  canvas.append(tiles, world, marks);
  const scale = () => 2 ** sight.zoom;
  const size = () => [pane.clientWidth || 600, pane.clientHeight || 320];
  const onPane = ([x, y]) => {
    const [width, height] = size();
    return [(x - sight.x) * scale() + width / 2, (y - sight.y) * scale() + height / 2];
  };

  const fit = (points) => {
    if (!points.length) return;
    let [x, y, right, bottom] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const [px, py] of points) [x, y, right, bottom] = [Math.min(x, px), Math.min(y, py), Math.max(right, px), Math.max(bottom, py)];
    const [width, height] = size();
    const room = Math.min((width - 64) / Math.max(right - x, 1e-4), (height - 72) / Math.max(bottom - y, 1e-4));
    sight = { x: (x + right) / 2, y: (y + bottom) / 2, zoom: Math.min(16, Math.max(1, Math.log2(Math.max(room, 2)))) };
    look();
  };
  const fitAll = () => {
    isFitted = true;
    fitTo();
  };
  const fitTo = () => fit([...lines.flat(), ...ends().map(({ point }) => point)]);
  const ends = () =>
    [["origin", "A", "from"], ["destination", "B", "to"]]
      .map(([key, letter, word], at) => {
        const end = details[key];
        const line = lines[chosen] ?? [];
        const point = end?.location ? project(end.location.lng, end.location.lat) : line.at(at - 1 === 0 ? -1 : 0);
        return point && { point, letter, label: end?.name || asked[key] || t(word) };
      })
      .filter(Boolean);

  const zoomBy = (by, at = null) => {
    isFitted = false;
    const zoom = Math.min(18, Math.max(1, sight.zoom + by));
    if (at) {
      const [width, height] = size();
      const [dx, dy] = [at[0] - width / 2, at[1] - height / 2];
      const change = 1 / scale() - 1 / 2 ** zoom;
      sight.x += dx * change;
      sight.y += dy * change;
    }
    sight.zoom = zoom;
    look();
  };
  const moveBy = (dx, dy) => {
    isFitted = false;
    sight.x += dx / scale();
    sight.y += dy / scale();
    look();
  };

  /** What is in sight at this place and zoom: the plane is moved, names and pins are written anew. */
  const look = () => {
    if (!sight) return;
    const [width, height] = size();
    canvas.setAttribute("viewBox", `0 0 ${width} ${height}`);
    const [x, y] = onPane([0, 0]);
    world.setAttribute("transform", `translate(${x} ${y}) scale(${scale()})`);
    drawTiles(width, height);
    const taken = [];
    const free = (box) => {
      if (taken.some((it) => box[0] < it[2] && it[0] < box[2] && box[1] < it[3] && it[1] < box[3])) return false;
      taken.push(box);
      return true;
    };
    const made = [];
    for (const { point, letter, label } of ends()) {
      const [px, py] = onPane(point);
      free([px - 14, py - 34, px + 14, py + 4]);
      made.push(s("g", { class: "pin", transform: `translate(${px} ${py})` }, s("path", { d: "M0 0L-9-13A12 12 0 1 1 9-13Z" }), s("text", { y: "-17" }, letter)));
      const wide = [...label].reduce((sum, it) => sum + (it < "\u0100" ? 7.5 : 13), 8);
      const flip = px + wide + 20 > width;
      // Where there is no room on either side, the title above has the name.
      const hasRoom = !flip || px - wide - 20 > 0;
      if (hasRoom && free(flip ? [px - wide - 16, py - 26, px - 14, py - 8] : [px + 14, py - 26, px + wide + 16, py - 8])) {
        made.push(s("text", { class: "name is-end", x: px + (flip ? -17 : 17), y: py - 12, "text-anchor": flip ? "end" : "start" }, label));
      }
    }
    if (!TILES) {
      for (const [kind, ja, en, lat, lng] of PLACES) {
        if (sight.zoom < LABEL_ZOOM[kind]) continue;
        const [px, py] = onPane(project(lng, lat));
        if (px < 0 || py < 0 || px > width || py > height) continue;
        const text = app.isJapanese() ? ja : en;
        const half = ([...text].length * (app.isJapanese() ? 13 : 7.5)) / 2 + 4;
        if (free([px - half, py - 8, px + half, py + 8])) made.push(s("text", { class: `name is-${kind}`, x: px, y: py + 4, "text-anchor": "middle" }, text));
      }
    }
    marks.replaceChildren(...made);
  };

  const drawTiles = (width, height) => {
    if (!TILES) return;
    const zoom = Math.min(TILES.max_zoom ?? 18, Math.max(0, Math.round(sight.zoom)));
    const side = 256 * 2 ** (sight.zoom - zoom);
    const count = 2 ** zoom;
    const [x, y] = onPane([0, 0]);
    const made = [];
    for (let column = Math.floor(-x / side); column * side + x < width; column += 1) {
      for (let row = Math.max(0, Math.floor(-y / side)); row < count && row * side + y < height; row += 1) {
        const place = { z: zoom, x: ((column % count) + count) % count, y: row };
        const href = TILES.url.replace(/\{([zxy])\}/g, (_, key) => place[key]);
        made.push(s("image", { href, x: column * side + x, y: row * side + y, width: side, height: side }));
      }
    }
    tiles.replaceChildren(...made.slice(0, 200));
  };

  /** The ground and the lines: what changes with the choice, not with the place. */
  const drawWorld = () => {
    const order = lines.map((_, at) => at).sort((a, b) => (a === chosen) - (b === chosen));
    const paths = order.flatMap((at) => [
      s("path", { class: `casing${at === chosen ? " is-chosen" : ""}`, d: plane(lines[at]), onclick: () => choose(at) }),
      s("path", { class: `line${at === chosen ? " is-chosen" : ""}`, d: plane(lines[at]), onclick: () => choose(at) }),
    ]);
    const part = stepPoints();
    world.replaceChildren(...(TILES ? [] : ground()), ...paths, ...(part.length ? [s("path", { class: "lit", d: plane(part) })] : []));
    look();
  };
  const stepPoints = () => {
    const from = details.routes?.[chosen]?.stepsAt?.[step];
    if (step < 0 || from === undefined) return [];
    const until = details.routes[chosen].stepsAt[step + 1] ?? lines[chosen].length - 1;
    return lines[chosen].slice(from, Math.max(until, from + 1) + 1);
  };

  // The map by hand and by keyboard.
  const held = new Map();
  let before = null;
  pane.addEventListener("pointerdown", (event) => {
    if (event.target.closest?.("button")) return;
    held.set(event.pointerId, [event.offsetX, event.offsetY]);
  });
  pane.addEventListener("pointermove", (event) => {
    const last = held.get(event.pointerId);
    if (!last) return;
    const box = pane.getBoundingClientRect();
    const now = [event.clientX - box.left, event.clientY - box.top];
    if (held.size === 2) {
      held.set(event.pointerId, now);
      const [one, two] = [...held.values()];
      const apart = Math.hypot(one[0] - two[0], one[1] - two[1]);
      if (before) zoomBy(Math.log2(apart / before), [(one[0] + two[0]) / 2, (one[1] + two[1]) / 2]);
      before = apart;
      return;
    }
    if (Math.hypot(now[0] - last[0], now[1] - last[1]) < 3 && !pane.hasPointerCapture(event.pointerId)) return;
    pane.setPointerCapture(event.pointerId);
    moveBy(last[0] - now[0], last[1] - now[1]);
    held.set(event.pointerId, now);
  });
  for (const end of ["pointerup", "pointercancel"]) {
    pane.addEventListener(end, (event) => {
      held.delete(event.pointerId);
      before = null;
    });
  }
  pane.addEventListener("wheel", (event) => {
    // A wheel alone scrolls the conversation around.
    if (!event.ctrlKey && !event.metaKey && app.context.displayMode !== "fullscreen") return;
    event.preventDefault();
    const box = pane.getBoundingClientRect();
    zoomBy(-event.deltaY / 300, [event.clientX - box.left, event.clientY - box.top]);
  }, { passive: false });
  pane.addEventListener("keydown", (event) => {
    if (event.target !== pane || event.altKey || event.ctrlKey || event.metaKey) return;
    const moves = {
      ArrowLeft: () => moveBy(-60, 0), ArrowRight: () => moveBy(60, 0), ArrowUp: () => moveBy(0, -60), ArrowDown: () => moveBy(0, 60),
      "+": () => zoomBy(1), "=": () => zoomBy(1), "-": () => zoomBy(-1), 0: fitAll,
    };
    if (!Object.hasOwn(moves, event.key)) return;
    event.preventDefault();
    moves[event.key]();
  });

  // --- Choosing ---------------------------------------------------------------------------------------------------------

  const trace = () => `route.${routes.map((it) => it.polyline.slice(0, 24)).join("")}`.slice(0, 120);
  const choose = (at) => {
    if (!routes[at] || at === chosen) return;
    [chosen, step] = [at, -1];
    app.keep(trace(), chosen);
    draw();
    const it = routes[at];
    app.announce(t("chosen", name(it), time(it.duration), metres(it.distance.value)));
    app.tell(`In the view of routes, the person chose route ${at + 1}: ${name(it)}, ${metres(it.distance.value)}, ${Math.round(it.duration.value / 60)} min.`);
  };
  const showStep = (at) => {
    step = step === at ? -1 : at;
    draw();
    const part = stepPoints();
    if (part.length) {
      isFitted = false;
      fit(part);
    } else if (step < 0) fitAll();
  };
  const searchMore = async () => {
    if (isBusy) return;
    isBusy = true;
    problem = null;
    draw();
    try {
      const found = await app.call("route_search", { ...asked, alternatives: true });
      hasMore = false;
      if ((found.structuredContent.routes ?? []).length > routes.length) take(found);
      else app.announce((problem = t("nomore")));
    } catch (error) {
      problem = t("failed", error.message ?? "");
    }
    isBusy = false;
    draw();
  };

  const take = (result) => {
    isHere = true;
    ({ routes = [] } = result.structuredContent ?? {});
    details = result._meta?.["navigation/details"] ?? {};
    lines = routes.map((it) => decode(String(it.polyline ?? "")));
    const kept = app.kept(trace());
    [chosen, step] = [Number.isInteger(kept) && routes[kept] ? kept : 0, -1];
    draw();
    fitAll();
  };

  // --- Drawing ----------------------------------------------------------------------------------------------------------

  const option = (it, at) => {
    const own = details.routes?.[at];
    const marks_ = routes.length > 1 ? [at === least(seconds) && t("fastest"), at === least((one) => one.distance.value) && t("shortest")].filter(Boolean) : [];
    return h("label", { class: `option${at === chosen ? " is-chosen" : ""}`, "data-route": String(at) },
      h("input", { type: "radio", name: "route", id: `route-${at}`, checked: at === chosen, onchange: () => choose(at) }),
      h("span", { class: "option-text" },
        h("span", { class: "option-name" }, name(it), marks_.map((text) => h("span", { class: "badge" }, text))),
        h("span", { class: "number" }, h("b", {}, time(it.duration)), ` · ${metres(it.distance.value)}`, it.duration_in_traffic ? ` · ${t("traffic", time(it.duration_in_traffic))}` : ""),
        toll(own) && h("span", { class: "soft small" }, toll(own))));
  };

  const directions = () => {
    const { steps = [], warnings = [] } = routes[chosen];
    return h("section", {}, h("h2", {}, t("steps")),
      warnings.length > 0 && notice("warning", h("p", { class: "label" }, t("warnings")), warnings.map((it) => h("p", {}, it))),
      steps.length
        ? h("ol", { class: "steps" }, steps.map((it, at) => h("li", {}, h("button", { class: "quiet step", id: `step-${at}`, "aria-pressed": String(at === step), onclick: () => showStep(at) },
            h("span", { class: "step-number number" }, String(at + 1)), h("span", {}, it.instruction), h("span", { class: "soft small number step-facts" }, [it.distance, it.duration].filter(Boolean).join(" · "))))))
        : h("p", { class: "soft" }, t("noSteps")));
  };

  const mapButton = (id, label, sign, onclick) => h("button", { class: "quiet map-button", id, title: label, "aria-label": label, onclick }, h("span", { "aria-hidden": "true" }, sign));

  const draw = () => {
    if (!routes.length) {
      return app.draw(app.root, problem ? notice("grave", problem) : isHere ? notice("info", t("none")) : h("p", { class: "soft" }, [asked.origin ? t("title", asked.origin, asked.destination ?? "") : "", t("loading")].filter(Boolean).join(" · ")));
    }
    const [from, to] = [details.origin?.name ?? asked.origin ?? "", details.destination?.name ?? asked.destination ?? ""];
    const times = [clock(details.departureTime) && t("leave", clock(details.departureTime)), clock(details.arrivalTime) && t("arrive", clock(details.arrivalTime))];
    pane.setAttribute("aria-label", t("map"));
    pane.replaceChildren(canvas, h("div", { class: "map-buttons" }, mapButton("zoom-in", t("zoomIn"), "＋", () => zoomBy(1)), mapButton("zoom-out", t("zoomOut"), "－", () => zoomBy(-1)), mapButton("fit", t("fit"), "⤢", fitAll)),
      h("p", { class: "map-credit" }, [TILES ? TILES.attribution : "© OpenStreetMap contributors", details.attribution].filter((it, at, all) => it && all.indexOf(it) === at).join(" · ")));
    app.draw(app.root,
      h("header", { class: "row is-apart" }, h("div", {}, h("h1", {}, t("title", from, to)), h("p", { class: "soft small" }, [["walking", "bicycling", "driving"].includes(details.travelMode) ? t(details.travelMode) : "", ...times].filter(Boolean).join(" · "))), app.fullscreen(t("large"), t("small"))),
      pane,
      h("fieldset", { class: "options" }, h("legend", { class: "label" }, t("routes")), routes.map(option)),
      problem && notice("info", problem),
      routes.length === 1 && hasMore && asked.origin && h("div", {}, h("button", { class: "quiet", id: "more", "aria-disabled": isBusy || null, onclick: searchMore }, isBusy ? t("searching") : t("more"))),
      directions(),
      h("p", { class: "soft small" }, [t("credit", details.provider === "builtin" ? t("builtin") : (details.provider ?? "")), details.travelMode === "driving" ? t("signs") : ""].filter(Boolean).join(" · ")));
    drawWorld();
  };

  app.start({
    input(given) {
      asked = given;
      draw();
    },
    result(result, given) {
      asked = given;
      if (result.isError) {
        problem = app.refusal(result).message;
        return draw();
      }
      hasMore = given.alternatives !== true;
      take(result);
    },
    cancelled() {
      problem = t("stopped");
      draw();
    },
    context() {
      draw();
      look();
    },
  });
  new ResizeObserver(() => (isFitted ? fitAll() : look())).observe(pane);
}
