import { permission } from "#kernel/permission.ts";

export const TransformerUse = permission("transformer:use", "Evaluate expressions", ["builder"]);
