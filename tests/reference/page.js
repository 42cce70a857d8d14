// The films of one day with their showtimes, a strip of days and a search: what the page opens with, by Preact.
import { Component, h, render } from "./preact.mjs";

const showtime = (it) =>
  h("li", { key: it.showtime_id },
    h("a", { class: "showtime", href: `#/?showtime=${encodeURIComponent(it.showtime_id)}` },
      h("time", { datetime: it.start_time }, it.start_time.slice(11, 16)),
      h("span", null, it.theater_name_en ?? it.theater_name),
      h("span", null, `${it.available_seats_count} seats left`)));

const film = (it, times) =>
  h("li", { key: it.movie_id, class: "film" },
    h("h2", null, it.title_en ?? it.title),
    h("p", null, `${it.genre_en ?? it.genre} · ${it.duration} min · ★ ${it.rating}`),
    h("p", null, it.description_en ?? it.description),
    h("ul", { class: "showtimes" }, times.map(showtime)));

class Films extends Component {
  state = { films: [], times: {}, day: "", sought: "" };

  async componentDidMount() {
    const answer = await fetch("films.json");
    const { films, times } = await answer.json();
    this.setState({ films, times, day: this.days(times)[0] ?? "" });
  }

  days(times) {
    return [...new Set(Object.values(times).flat().map((it) => it.start_time.slice(0, 10)))].sort();
  }

  render(_, { films, times, day, sought }) {
    const fits = (it) => [it.title, it.title_en].some((title) => title?.toLowerCase().includes(sought));
    const on = (it) => (times[it.movie_id] ?? []).filter((it) => it.start_time.startsWith(day));
    const button = (it) =>
      h("button", { key: it, "aria-pressed": String(it === day), onClick: () => this.setState({ day: it }) }, it);
    const shown = films.filter(fits).filter((it) => on(it).length > 0);
    return h("div", null,
      h("nav", { "aria-label": "Days" }, this.days(times).map(button)),
      h("input", {
        type: "search", "aria-label": "Search", value: sought,
        onInput: (event) => this.setState({ sought: event.target.value.toLowerCase() }),
      }),
      h("ul", { class: "film-list" }, shown.map((it) => film(it, on(it)))));
  }
}

const main = document.getElementById("main");
main.replaceChildren();
render(h(Films), main);
