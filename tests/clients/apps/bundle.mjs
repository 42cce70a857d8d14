// Puts the host of apps (host.mjs) and its packages into one file, which a browser loads: `node apps/bundle.mjs FILE`.

import { build } from "esbuild";
import { fileURLToPath } from "node:url";

const entry = fileURLToPath(new URL("host.mjs", import.meta.url));
await build({ entryPoints: [entry], bundle: true, format: "esm", outfile: process.argv[2], logLevel: "warning" });
