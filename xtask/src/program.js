// What parts share is in many small pieces of WebAssembly: one file holds them all, one after another.
let whole;
const load = async () => {
  const answer = await globalThis.fetch(new URL(SHARED, import.meta.url));
  if (!answer.ok) throw new Error(`${SHARED}: ${answer.status}`);
  return answer.arrayBuffer();
};
const shared = async ([begin, end]) => {
  whole ??= load();
  try {
    const headers = { "content-type": "application/wasm" };
    return new Response((await whole).slice(begin, end), { headers });
  } catch (error) {
    whole = undefined; // Asked for anew the next time.
    throw error;
  }
};
// In this module alone: what is below fetches each piece as if it were a file.
const fetch = (url) => {
  const piece = PIECES[url.pathname.split("/").pop()];
  return piece ? shared(piece) : globalThis.fetch(url);
};
