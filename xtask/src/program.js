// What parts share is in many small pieces of WebAssembly; a few files hold them, one piece after another.
const files = {};
const load = async (file) => {
  const name = `./${file}.fingerprint_here.bin`;
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
};
const slice = async ({ name, begin, end }) => {
  const file = files[name] ??= load(name);
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
const places = LENGTHS.flatMap((lengths, number) => laid(`shared_${number}`, lengths));
const pieces = places.map((_, at) => makeLoad(() => begun(slice(places[at]),
  async (source, imports) => WebAssembly.instantiate(await source, imports)), []));
// A part that a visit may begin with has a file of all pieces that it needs, and one that is drawn in it has one of
// those that it needs besides: less, and fewer requests, than the files of what all parts share. What is loaded ahead
// begins with the words, and takes those: it needs them all.
let first;
const taken = new Set();
const takeFirst = (name, needs, within) => {
  if (within !== null || name === "words") first ??= name;
  if (within !== (name === first ? "" : first)) return;
  const own = needs.filter((at) => !taken.has(at));
  laid(`first_${name}`, own.map((at) => places[at].end - places[at].begin)).forEach((place, at) => {
    places[own[at]] = place;
  });
  if (name === first) own.forEach((at) => taken.add(at));
};
// One part, which pieces it needs (from, to, from, to ...), and what it is drawn in.
const part = (name, turns, within) => {
  const needs = turns.flatMap((from, at) =>
    at % 2 ? [] : Array.from({ length: turns[at + 1] - from }, (_, more) => from + more));
  const loaded = wrapAsyncCb(makeLoad(
    () => begun(fetch(new URL(`./split_${name}.fingerprint_here.wasm`, import.meta.url)),
      async (source, imports) => WebAssembly.instantiateStreaming(source, imports)),
    needs.map((at) => pieces[at])));
  return (...given) => {
    takeFirst(name, needs, within);
    return loaded(...given);
  };
};
