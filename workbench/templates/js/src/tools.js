// Greets people: one tool, to begin with.

import { example, refused, tool } from "../kit/madoguchi.js";

tool("greeting", {
  title: { ja: "挨拶", en: "Greet" },
  description: { ja: "名前を呼んで挨拶する。", en: "Greets someone by name." },
  input: {
    name: {
      type: "string",
      minLength: 1,
      maxLength: 100,
      description: { ja: "相手の名前", en: "Their name, 1 to 100 characters" },
    },
  },
  // What the tool answers: clients get its schema.
  output: { text: "string" },
  hints: { readOnly: true },
  run({ name }) {
    // A refusal has a code for programs and a sentence that says what would be right.
    if (!name.trim()) throw refused("no_name", 400, "The name is blank: send at least one letter.");
    return { text: `Hello, ${name}!` };
  },
});

// The host calls these on a database that is thrown away, before it serves a new version.
example("greets by name", "greeting", { name: "花子" }).gives({ text: "Hello, 花子!" });
example("a blank name is refused", "greeting", { name: " " }).refuses("no_name");
example("a name is needed", "greeting", {}).refusesTheArguments();
