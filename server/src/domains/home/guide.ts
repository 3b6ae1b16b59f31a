/** The guides of the repository, read as they are needed and kept: they don't change while a process lives. */
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

/** In the order in which one reads them; the tests hold that each guide is in one group. */
export const GUIDE_GROUPS: readonly GuideGroup[] = [
  {
    title: "Begin",
    guides: [
      guide("console", "The console", "Everything by mouse or key, in a browser"),
      guide("first-steps", "First steps", "The API by example"),
      guide(
        "client",
        "Client and command line",
        "The same from TypeScript, and artifacts as files",
      ),
    ],
  },
  {
    title: "Automate",
    guides: [
      guide("workflows", "Workflows", "Steps, expressions, versions, deployments"),
      guide("recipes", "Recipes", "Branch, loop, HTTP with retries, approval, schedule"),
      guide("triggers", "Triggers", "What starts a workflow"),
      guide("runs", "Runs", "What happened, and trying it again"),
      guide("connectors", "Connectors", "Other systems, with their secrets"),
      guide("language-models", "Language models", "Questions to models, and agents with tools"),
      guide("sdk", "Artifacts", "Your own code, in a sandbox"),
      guide("scheduled-jobs", "Scheduled jobs", "Code that runs by the clock"),
      guide("events", "Events", "The one log that everything reads"),
      guide("webhooks", "Webhooks", "Telling other systems"),
      guide("packs", "Packs", "Installing all of it elsewhere"),
    ],
  },
  {
    title: "Build an app",
    guides: [
      guide("tables", "Tables and records", "Your data, with rules"),
      guide("apps", "Apps", "Pages for people"),
      guide("sql", "SQL", "Queries over your tables"),
      guide("migrations", "Migrations", "Changing tables by file"),
      guide("files", "Files", "Attachments, pictures, and where they are kept"),
      guide("analytics", "Reports and dashboards", "Counting what there is"),
    ],
  },
  {
    title: "Run a desk",
    guides: [
      guide("tickets", "Tickets", "What all four kinds share"),
      guide("portal", "The portal", "The place of those who ask"),
      guide("mail", "Mail", "Tickets that come and go by mail"),
      guide("incidents", "Incidents", "Something is broken"),
      guide("catalog", "Catalog", "Somebody wants something"),
      guide("changes", "Changes", "Something is to be changed"),
      guide("problems", "Problems", "Why it breaks again and again"),
      guide("sla", "Target times", "Clocks and breaches"),
      guide("on-call", "Assignment and on call", "Who gets what, and who is paged"),
      guide("knowledge", "Knowledge", "Articles, and search by meaning"),
      guide("cmdb", "CMDB", "What depends on what"),
      guide("notifications", "Notifications", "Telling people"),
    ],
  },
  {
    title: "Run Millrace",
    guides: [
      guide("access", "Access", "Members, roles, tokens, passwords"),
      guide("mfa", "Second factors", "Codes and security keys"),
      guide("sso", "Single sign-on", "OpenID Connect and SAML"),
      guide("oauth", "OAuth 2.0", "Letting other programs in"),
      guide("agents", "Agents", "The Model Context Protocol"),
      guide("secrets", "Secrets", "The vault and the master key"),
      guide("operate", "Operate", "Databases, health, stopping"),
      guide("backup", "Backup and restore", "Three commands"),
      guide("portability", "Move a workspace", "One archive, to another installation"),
      guide("scale", "Scale", "Several processes"),
      guide("faults", "Faults", "What happens when something fails"),
      guide("retention", "Retention", "How long things are kept"),
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
