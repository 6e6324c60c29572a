// Written by scripts/generate.mjs from package.json.

export const VERSION = "0.1.0";
