import { PackContentPoint } from "#kernel/contributions/pack-content.ts";
import { domain } from "#kernel/domain.ts";
import { contribute } from "#kernel/extension-point.ts";
import { catalog } from "../catalog/index.ts";
import { changes } from "../changes/index.ts";
import { incidents } from "../incidents/index.ts";
import { problems } from "../problems/index.ts";
import { BULK_VERBS } from "./act.ts";
import { macros as macroResource } from "./macro.ts";
import { actCommands } from "./operations.ts";
import { macroContent, textModuleContent } from "./pack.ts";
import { MacrosRun, MacrosWrite } from "./permissions.ts";
import { previewText, renderTextModule, textModules } from "./text-module.ts";

const verbs = new Set<string>(BULK_VERBS);
const acts = [incidents, changes, problems, catalog].flatMap(({ operations }) =>
  operations.filter(
    ({ id, route }) => verbs.has(id.slice(id.indexOf(".") + 1)) && route.includes("{id}"),
  ),
);

export const macros = domain({
  name: "macros",
  summary: "Macros, text modules, and bulk changes to tickets.",
  permissions: [MacrosRun, MacrosWrite],
  events: [...Object.values(macroResource.events), ...Object.values(textModules.events)],
  operations: [
    ...macroResource.operations,
    ...textModules.operations,
    renderTextModule,
    previewText,
    ...actCommands(acts),
  ],
  contributions: [contribute(PackContentPoint, textModuleContent, macroContent)],
});
