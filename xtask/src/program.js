// What parts share is in many small pieces of WebAssembly; a few files hold them, one piece after another.
const files = [];
const load = async (number) => {
  const name = `./shared_${number}.fingerprint_here.bin`;
  const answer = await fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
};
const slice = async (number, begin, end) => {
  const file = files[number] ??= load(number);
  try {
    return (await file).slice(begin, end);
  } catch (error) {
    if (files[number] === file) delete files[number]; // Asked for anew the next time.
    throw error;
  }
};
const begun = (source, instantiate) => {
  source.catch(() => {}); // It is said where it is waited for.
  return (imports) => instantiate(source, imports);
};
const piece = (number, begin, end) => makeLoad(() => begun(slice(number, begin, end),
  async (source, imports) => WebAssembly.instantiate(await source, imports)), []);
// How long each piece of each file is.
const pieces = LENGTHS.flatMap((lengths, number) => {
  let begin = 0;
  return lengths.map((length) => piece(number, begin, begin += length));
});
// One part, and which pieces it needs: from, to, from, to ...
const part = (name, needs) => wrapAsyncCb(makeLoad(
  () => begun(fetch(new URL(`./split_${name}.fingerprint_here.wasm`, import.meta.url)),
    async (source, imports) => WebAssembly.instantiateStreaming(source, imports)),
  needs.flatMap((from, at) => at % 2 ? [] : pieces.slice(from, needs[at + 1]))));
