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
      "Steps, branches, approvals. You get a workflow that handles orders, with runs to look at.",
    icon: Workflow,
    load: async () => (await import("./examples/automation.ts")).automation,
  },
  {
    id: "desk",
    label: "Run a service desk",
    about:
      "Incidents, requests, target times. You get tickets, and a workflow that calls out the worst.",
    icon: LifeBuoy,
    load: async () => (await import("./examples/desk.ts")).desk,
  },
  {
    id: "tables",
    label: "Tables and apps",
    about: "Your data, and pages on it. You get a stock room with an app that everybody can open.",
    icon: Blocks,
    load: async () => (await import("./examples/tables.ts")).tables,
  },
  {
    id: "integration",
    label: "Connect systems",
    about: "Webhooks and connectors. You get an address that a shop can post its orders to.",
    icon: Plug,
    load: async () => (await import("./examples/integration.ts")).integration,
  },
  {
    id: "looking",
    label: "Just looking",
    about: "Nothing is installed. You can get an example later.",
    icon: Eye,
  },
];
