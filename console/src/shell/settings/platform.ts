/** Settings of agents, integrations and the installation. */
import { Bot, Plug, Server } from "lucide-react";
import type { Setting, SettingsSection } from "./setting-entry.ts";

export const AGENTS: SettingsSection = {
  id: "agents",
  label: "Agents and developers",
  icon: Bot,
  settings: [
    {
      title: "Agents",
      about: "Permissions, approvals and activity of AI agents.",
      also: "ai assistants llm mcp bots model context protocol approvals policy",
      to: "/settings/agents",
      needs: "agent_calls.list",
    },
    {
      title: "API access",
      about: "Applications and API tokens of all members.",
      also: "api keys programs developers integrations rest service accounts",
      to: "/settings/api",
      needs: "users.update",
    },
    {
      title: "OAuth applications",
      about: "Applications that ask people for their consent.",
      also: "oauth clients client id client secret redirect openid third-party",
      to: "/settings/api",
      hash: "applications",
      needs: "oauth.list_applications",
    },
    {
      title: "API tokens of all members",
      about: "View and revoke the API tokens of all members.",
      also: "api tokens api keys access tokens bearer credentials revoke",
      to: "/settings/api",
      hash: "tokens",
      needs: "users.list_tokens",
    },
  ],
};

export const INTEGRATIONS: SettingsSection = {
  id: "integrations",
  label: "Integrations",
  icon: Plug,
  settings: [
    {
      title: "Secrets",
      about: "Passwords and keys for workflows and connectors. Saved values are never shown.",
      also: "credentials passwords api keys vault tokens encryption",
      to: "/secrets",
      needs: "secrets.list",
    },
    {
      title: "Variables",
      about: "Configuration values for workflows, per environment.",
      also: "constants parameters configuration env environment variables",
      to: "/variables",
      needs: "variables.list",
    },
    {
      title: "Connectors",
      about: "Connections to other systems.",
      also: "integrations connections credentials oauth apps slack jira github database",
      to: "/connectors",
      needs: "connectors.list",
    },
    {
      title: "Webhooks",
      about: "Send events to other systems.",
      also: "callbacks http notifications outgoing endpoints subscriptions",
      to: "/webhooks",
      needs: "webhooks.list",
    },
    {
      title: "Packs",
      about: "Ready-made tables, workflows and apps to install.",
      also: "marketplace extensions plugins templates examples add-ons",
      to: "/packs",
      needs: "packs.install",
    },
  ],
};

const tab = (
  id: string,
  title: string,
  { about, also }: Pick<Setting, "about" | "also">,
): Setting => ({
  title,
  about,
  also,
  to: "/settings/operation",
  ...(id !== "overview" && { search: { tab: id } }),
  isForOperators: true,
});

export const INSTALLATION: SettingsSection = {
  id: "installation",
  label: "Installation",
  icon: Server,
  settings: [
    tab("overview", "Operation", {
      about: "Version, processes and health of this installation.",
      also: "admin status health version update maintenance mode server system overview",
    }),
    tab("load", "Load", {
      about: "Requests, latency and the use of the database over time.",
      also: "performance metrics cpu memory slow monitoring latency",
    }),
    tab("work", "Work", {
      about: "Waiting and failed jobs, queues and event readers.",
      also: "background jobs queue workers dead letters retry failed jobs",
    }),
    tab("storage", "Storage", {
      about: "Size of the database and files, and data retention.",
      also: "disk space retention database size cleanup files",
    }),
    tab("backups", "Backups", {
      about: "Backups of the installation and the backup schedule.",
      also: "restore disaster recovery snapshot dump",
    }),
    tab("imports", "Imports", {
      about: "Import workspaces from other installations.",
      also: "import workspace archive migration move restore",
    }),
    tab("settings", "Server settings", {
      about: "Environment variables of the server and their values.",
      also: "configuration environment variables env config options smtp proxy",
    }),
    tab("log", "Log", {
      about: "Messages of the server.",
      also: "logs errors debug console output troubleshooting",
    }),
    tab("operators", "Operators", {
      about: "Users who operate this installation.",
      also: "superuser root administrators system admins",
    }),
  ],
};
