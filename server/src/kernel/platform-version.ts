import { readFileSync } from "node:fs";

const manifest: unknown = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8"),
);

/** The version of this product, as packs and clients may demand one. */
export const PLATFORM_VERSION = String((manifest as { readonly version: unknown }).version);
