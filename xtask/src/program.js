// What parts share is in many small pieces of WebAssembly; a few files hold them, one piece after another.
const files = new Map();
const load = async (name) => {
  const answer = await globalThis.fetch(new URL(name, import.meta.url));
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.arrayBuffer();
};
const slice = async ([number, begin, end]) => {
  const name = `./shared_${number}.fingerprint_here.bin`;
  if (!files.has(name)) files.set(name, load(name));
  try {
    const headers = { "content-type": "application/wasm" };
    return new Response((await files.get(name)).slice(begin, end), { headers });
  } catch (error) {
    files.delete(name); // Asked for anew the next time.
    throw error;
  }
};
// In this module alone: what is below fetches each piece as if it were a file.
const fetch = (url) => {
  const piece = PIECES[url.pathname.split("/").pop().replace(".wasm", "")];
  return piece ? slice(piece) : globalThis.fetch(url);
};
