// The books that a tool listed, each with who has it.
{
  const t = app.words({ free: ["棚にあります", "On the shelf"], lent: ["貸出中：{0}", "Lent to {0}"] });
  let books = [];
  const draw = () => {
    const line = (it) => h("li", {}, h("span", {}, it.title), h("span", { class: "soft" }, it.member ? t("lent", it.member) : t("free")));
    app.root.replaceChildren(h("ul", { class: "books" }, books.map(line)));
  };
  app.start({
    result(result) {
      books = result.structuredContent?.books ?? [];
      draw();
    },
    context: () => draw(),
  });
}
