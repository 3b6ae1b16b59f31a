import type { Descriptor } from "../../descriptor.ts";
import { articles } from "./articles.ts";
import { artifactDefinitions } from "./artifacts.ts";
import { catalogItems } from "./catalog-items.ts";
import { changeTemplates } from "./change-templates.ts";
import { queries } from "./queries.ts";
import { dashboards, reports } from "./reports.ts";
import { roles } from "./roles.ts";
import { slaPolicies } from "./sla-policies.ts";
import { tables } from "./tables.ts";
import { workflows } from "./workflows.ts";

/** What a service desk begins with. */
export const itsmPack: Descriptor = {
  id: "itsm_baseline_pack",
  name: "ITSM baseline",
  version: "1.1.0",
  description:
    "What a service desk begins with: roles, target times, a catalog, change templates, articles, " +
    "who is on call, and example workflows",
  author: "Millrace",
  artifacts: Object.keys(artifactDefinitions),
  artifactDefinitions,
  resources: {
    roles,
    tables,
    queries,
    workflows,
    sla_policies: slaPolicies,
    change_templates: changeTemplates,
    catalog_items: catalogItems,
    articles,
    reports,
    dashboards,
  },
  engines: { millrace: ">=0.1.0" },
};
