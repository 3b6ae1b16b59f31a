/** The guides of the repository, read on demand and cached, because they do not change while a process runs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";

const FOLDER = join(import.meta.dirname, "../../../../docs/guide");

export interface Guide {
  readonly name: string;
  readonly markdown: string;
}

export interface GuideGroup {
  readonly title: string;
  readonly guides: readonly {
    readonly name: string;
    readonly title: string;
    readonly about: string;
  }[];
}

const guide = (name: string, title: string, about: string) => ({ name, title, about });

/** In reading order. Tests check that each guide is in exactly one group. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: "Get started",
    guides: [
      guide("console", "The console", "Work in the browser, with mouse or keyboard"),
      guide("first-steps", "First steps", "Start Millrace and make the first API calls"),
      guide("client", "Client and command line", "TypeScript client, CLI, and a workspace as code"),
    ],
  },
  {
    title: "Automate",
    guides: [
      guide("workflows", "Workflows", "Steps, expressions, versions, deployments"),
      guide("recipes", "Recipes", "Branch, loop, HTTP with retries, approval, schedule"),
      guide("triggers", "Triggers", "Webhooks, schedules, events, forms and chats"),
      guide("runs", "Runs", "Start, follow, approve, cancel, retry and test runs"),
      guide("connectors", "Connectors", "Connect other systems, with credentials"),
      guide("language-models", "Language models", "Call models, and build agents with tools"),
      guide("sdk", "Artifacts", "Your own code in a sandbox"),
      guide("scheduled-jobs", "Scheduled jobs", "Run code on a schedule"),
      guide("events", "Events", "Topics, streams, traces, undo and the audit log"),
      guide("webhooks", "Webhooks", "Send events to other systems"),
      guide("packs", "Packs", "Install ready-made items in a workspace"),
    ],
  },
  {
    title: "Build an app",
    guides: [
      guide("tables", "Tables and records", "Create tables, import data, set access rules"),
      guide("apps", "Apps", "Build and publish pages on your data"),
      guide("sql", "SQL", "Query your tables"),
      guide("migrations", "Migrations", "Change tables in all environments"),
      guide("files", "Files", "Attachments, images and storage"),
      guide("analytics", "Reports and dashboards", "Reports, dashboards, KPIs and alerts"),
    ],
  },
  {
    title: "Run a service desk",
    guides: [
      guide("tickets", "Tickets", "Features of all four kinds of tickets"),
      guide("portal", "The portal", "Self-service for requesters"),
      guide("mail", "E-mail", "Create and answer tickets by e-mail"),
      guide("incidents", "Incidents", "Handle interruptions and major incidents"),
      guide("catalog", "Service catalog", "Request, approve and fulfil items"),
      guide("changes", "Changes", "Plan, approve and implement changes"),
      guide("problems", "Problems", "Find causes and document known errors"),
      guide("sla", "SLA policies", "Targets, calendars, warnings and breaches"),
      guide("on-call", "Assignment and on call", "Assignment rules, schedules and escalation"),
      guide("knowledge", "Knowledge base", "Write and search articles"),
      guide("cmdb", "CMDB", "Configuration items, dependencies and impact"),
      guide("notifications", "Notifications", "Inbox and e-mail notifications"),
    ],
  },
  {
    title: "Administer Millrace",
    guides: [
      guide("access", "Access", "Members, roles, tokens, passwords"),
      guide("mfa", "Two-factor authentication", "Authenticator apps, security keys and passkeys"),
      guide("sso", "Single sign-on", "OpenID Connect and SAML"),
      guide("oauth", "OAuth 2.0", "Give applications access"),
      guide("agents", "Agents", "Connect AI agents with MCP"),
      guide("secrets", "Secrets and variables", "The vault, variables and the master key"),
      guide("operate", "Operating Millrace", "Settings, databases, health, upgrades"),
      guide("backup", "Backup and restore", "Back up, verify and restore"),
      guide("portability", "Move a workspace", "Export to another installation"),
      guide("scale", "Scale", "Several processes, failover, proxy"),
      guide("faults", "Failures", "Behaviour after errors and outages"),
      guide("retention", "Retention", "How long data is kept"),
    ],
  },
];

/** All guides, in that order. */
export async function listGuides(): Promise<readonly Guide[]> {
  const found = await Promise.all([...KNOWN].map(findGuide));
  return found.filter((guide) => guide !== undefined);
}

const KNOWN = new Set(GUIDE_GROUPS.flatMap(({ guides }) => guides.map(({ name }) => name)));
const cache = new Map<string, Guide>();

/** The guide of this name; only those of the groups, so that the name is no path. */
export async function findGuide(name: string): Promise<Guide | undefined> {
  if (!KNOWN.has(name)) return undefined;
  const cached = cache.get(name);
  if (cached) return cached;
  const found = { name, markdown: await readFile(join(FOLDER, `${name}.md`), "utf8") };
  cache.set(name, found);
  return found;
}
