import { Blocks, Eye, LifeBuoy, type LucideIcon, Plug, Workflow } from "lucide-react";
import type { Example } from "./examples/example.ts";

export interface Intent {
  readonly id: string;
  readonly label: string;
  readonly about: string;
  readonly icon: LucideIcon;
  /** Undefined for users who only want to look around. */
  readonly load?: () => Promise<Example>;
}

export const INTENTS: readonly Intent[] = [
  {
    id: "automation",
    label: "Automate work",
    about:
      "Steps, branches and approvals. Installs a workflow that processes orders, with example runs.",
    icon: Workflow,
    load: async () => (await import("./examples/automation.ts")).automation,
  },
  {
    id: "desk",
    label: "Run a service desk",
    about:
      "Incidents, requests and SLA targets. Installs example tickets, and a workflow that notifies about critical ones.",
    icon: LifeBuoy,
    load: async () => (await import("./examples/desk.ts")).desk,
  },
  {
    id: "tables",
    label: "Tables and apps",
    about: "Database tables and apps for your data. Installs a stock table with an app.",
    icon: Blocks,
    load: async () => (await import("./examples/tables.ts")).tables,
  },
  {
    id: "integration",
    label: "Connect systems",
    about: "Webhooks and connectors. Installs a webhook that receives orders from a shop.",
    icon: Plug,
    load: async () => (await import("./examples/integration.ts")).integration,
  },
  {
    id: "looking",
    label: "No example",
    about: "Start with an empty workspace. You can install an example later.",
    icon: Eye,
  },
];
