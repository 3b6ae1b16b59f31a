import type { Input, Schemas } from "../data/api.ts";

export type Offer = Schemas["PackOffer"];
export type Pack = Schemas["Pack"];

export type Descriptor = Input<"packs.install">["body"];

/** A planned operation on a pack. */
export type PackPlan =
  | { readonly act: "install" | "upgrade"; readonly offer: Offer }
  | { readonly act: "import"; readonly descriptor: Descriptor }
  | { readonly act: "uninstall"; readonly pack: Pack };

const FILE_BYTES_MAX = 8 * 1024 * 1024;

/** Parses a pack file; throws an error with a message for users. The server validates the content. */
export async function readPackFile(file: File): Promise<Descriptor> {
  if (file.size > FILE_BYTES_MAX)
    throw new Error(`${file.name} is larger than 8 MB. Select a smaller file.`);
  let value: unknown;
  try {
    value = JSON.parse(await file.text());
  } catch {
    throw new Error(`${file.name} is not a JSON file.`);
  }
  if (typeof value !== "object" || value === null || !("name" in value)) {
    throw new Error(`${file.name} is not a pack file.`);
  }
  // The server validates each field.
  return value as Descriptor;
}

export function nameOf(plan: PackPlan): string {
  if (plan.act === "uninstall") return plan.pack.name;
  return plan.act === "import" ? plan.descriptor.name : plan.offer.name;
}
