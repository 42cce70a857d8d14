// Before anything is painted: the language and the colours that the reader chose, or the browser's.
(() => {
  const root = document.documentElement;
  const kept = (name) => {
    try {
      return JSON.parse(localStorage.getItem(`madoguchi.${name}`));
    } catch {
      return null; // No storage, or something else in it: as if nothing were kept.
    }
  };
  const languages = [kept("language"), ...(navigator.languages ?? [navigator.language])];
  const known = languages.map((tag) => String(tag).toLowerCase().split(/[-_]/)[0]);
  root.lang = known.find((tag) => tag === "ja" || tag === "en") ?? "en";
  const theme = kept("theme");
  root.dataset.theme = ["light", "dark"].includes(theme) ? theme : "system";
  // The program itself may not arrive, or not run here: then the page says so and offers to try again.
  const fail = () => document.getElementById("first")?.classList.add("has-failed");
  addEventListener("unhandledrejection", fail);
  const isOurs = (target) => target === window || target instanceof HTMLScriptElement;
  addEventListener("error", ({ target }) => isOurs(target) && fail(), true);
  addEventListener("DOMContentLoaded", () => {
    document.getElementById("first-again")?.addEventListener("click", () => location.reload());
  });
})();
