import type { Schemas } from "../data/api.ts";

export type Offer = Schemas["PackOffer"];
export type Pack = Schemas["Pack"];

/** Something that somebody is about to do with a pack. */
export type PackPlan =
  | { readonly act: "install" | "upgrade"; readonly offer: Offer }
  | { readonly act: "uninstall"; readonly pack: Pack };
