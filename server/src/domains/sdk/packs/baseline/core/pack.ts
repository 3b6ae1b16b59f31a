import type { Descriptor } from "../../descriptor.ts";
import { artifactDefinitions } from "./artifacts.ts";
import { queries } from "./queries.ts";
import { dashboards, reports } from "./reports.ts";
import { roles } from "./roles.ts";
import { tables } from "./tables.ts";
import { workflows } from "./workflows.ts";

/** What most workspaces begin with: who looks after data, what is owned and from whom, and reports. */
export const corePack: Descriptor = {
  id: "core_baseline_pack",
  name: "Core baseline",
  version: "1.1.0",
  description:
    "Standard roles, tables of vendors, contacts and assets, example workflows, and reports on them",
  author: "Millrace",
  artifacts: Object.keys(artifactDefinitions),
  artifactDefinitions,
  resources: { roles, tables, queries, workflows, reports, dashboards },
  engines: { millrace: ">=0.1.0" },
};
