// What parts share is in many small pieces of WebAssembly; a few files hold them, one piece after another. Which, and
// which pieces a part needs, is in a table of its own: the front page is drawn without any part.
const files = {};
const load = async (file) => {
  const answer = await fetch(new URL(`./${file}`, import.meta.url));
  if (!answer.ok) throw new Error(`${file}: ${answer.status}`);
  return answer;
};
const slice = async ({ name, begin, end }) => {
  const file = files[name] ??= load(`${name}.fingerprint_here.bin`).then((it) => it.arrayBuffer());
  try {
    return (await file).slice(begin, end);
  } catch (error) {
    if (files[name] === file) delete files[name]; // Asked for anew the next time.
    throw error;
  }
};
const begun = (source, instantiate) => {
  source.catch(() => {}); // It is said where it is waited for.
  return (imports) => instantiate(source, imports);
};
// Where pieces of these lengths are: in which file, from where to where.
const laid = (name, lengths) => {
  let end = 0;
  return lengths.map((length) => ({ name, begin: end, end: end += length }));
};
const read = async () => {
  const table = await (await load("table.fingerprint_here.json")).json();
  const places = table.lengths.flatMap((lengths, number) => laid(`shared_${number}`, lengths));
  const pieces = places.map((_, at) => makeLoad(() => begun(slice(places[at]),
    async (source, imports) => WebAssembly.instantiate(await source, imports)), []));
  return { parts: table.parts, places, pieces };
};
let reading;
const table = () => reading ??= read().catch((error) => {
  reading = undefined; // Asked for anew the next time.
  throw error;
});
// A visit that begins elsewhere than at the front page will ask.
if (location.hash.length > "#/".length) table().catch(() => {});
// A part that a visit may begin with has a file of all pieces that it needs, and one that is drawn in it has one of
// those that it needs besides: less, and fewer requests, than the files of what all parts share. What is loaded ahead
// begins with the words, and takes those: it needs them all.
let first;
const taken = new Set();
const takeFirst = (name, needs, within, places) => {
  if (within !== null || name === "words") first ??= name;
  if (within !== (name === first ? "" : first)) return;
  const own = needs.filter((at) => !taken.has(at));
  laid(`first_${name}`, own.map((at) => places[at].end - places[at].begin)).forEach((place, at) => {
    places[own[at]] = place;
  });
  if (name === first) own.forEach((at) => taken.add(at));
};
// The pieces that a part needs (from, to, from, to ...), and what it is drawn in.
const shared = async (name) => {
  const { parts, places, pieces } = await table();
  const [turns, within] = parts[name];
  const needs = turns.flatMap((from, at) =>
    at % 2 ? [] : Array.from({ length: turns[at + 1] - from }, (_, more) => from + more));
  takeFirst(name, needs, within, places);
  await Promise.all(needs.map((at) => pieces[at]()));
};
const part = (name) => wrapAsyncCb(makeLoad(
  () => begun(fetch(new URL(`./split_${name}.fingerprint_here.wasm`, import.meta.url)),
    async (source, imports) => WebAssembly.instantiateStreaming(source, imports)),
  [() => shared(name)]));
