import type { Descriptor } from "../../descriptor.ts";
import { artifactDefinitions } from "./artifacts.ts";
import { queries } from "./queries.ts";
import { roles } from "./roles.ts";
import { tables } from "./tables.ts";
import { workflows } from "./workflows.ts";

/** What a service desk begins with. */
export const itsmPack: Descriptor = {
  id: "itsm_baseline_pack",
  name: "ITSM baseline",
  version: "1.0.0",
  description: "Roles of a service desk, who is on call, helpers for paging, and example workflows",
  author: "Millrace",
  artifacts: Object.keys(artifactDefinitions),
  artifactDefinitions,
  resources: { roles, tables, queries, workflows },
  engines: { millrace: ">=0.1.0" },
};
