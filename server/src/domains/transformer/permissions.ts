import { permission } from "#kernel/access/permission.ts";

export const TransformerUse = permission("transformer:use", "Evaluate expressions", ["builder"]);
