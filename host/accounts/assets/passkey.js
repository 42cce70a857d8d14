// Makes a passkey, or signs in with one; where the browser cannot, the button stays hidden and the form does it.
const button = document.getElementById("passkey");
const credentials = globalThis.PublicKeyCredential;
if (button && credentials?.parseCreationOptionsFromJSON && credentials.parseRequestOptionsFromJSON) {
  const { begin, end, next, link } = button.dataset;
  const failed = document.getElementById("passkey-failed");
  const send = async (address, content) => {
    const headers = { "content-type": "application/json" };
    const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(content) });
    if (!answer.ok) throw new Error(String(answer.status));
    return answer;
  };
  button.hidden = false;
  button.addEventListener("click", async () => {
    failed.hidden = true;
    button.disabled = true;
    try {
      const options = await (await send(begin, { link })).json();
      const credential = link
        ? await navigator.credentials.create({ publicKey: credentials.parseCreationOptionsFromJSON(options) })
        : await navigator.credentials.get({ publicKey: credentials.parseRequestOptionsFromJSON(options) });
      await send(end, { link, credential: credential.toJSON() });
      location.assign(next);
    } catch {
      failed.hidden = false;
      button.disabled = false;
    }
  });
}
