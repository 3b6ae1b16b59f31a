import type { Descriptor } from "../../descriptor.ts";
import { dashboards, queries, reports } from "./reports.ts";
import { roles, slaPolicies } from "./sla-policies.ts";
import { workflows } from "./workflows.ts";

const articles = [
  {
    key: "reset-password",
    title: "You can't sign in",
    summary: "A forgotten password, a lost second factor, a locked account",
    tags: ["account", "sign-in"],
    category: "Accounts",
    body: `## Your password does not work

1. Ask for a new one with *Forgot password* on the sign-in page. The link in the mail is good for an hour.
2. If no mail comes within five minutes, look at the spam folder, then write to the service desk.

## Your phone with the codes is gone

Use one of the ten recovery codes that you were shown when you set it up. Each works once. Without them the
service desk removes the second factor when it has made sure that it is you; then set it up again at once.

## You tried too often

Wait for a minute. After ten wrong attempts the account pauses by itself.`,
  },
  {
    key: "raise-incident",
    title: "Report that something is broken",
    summary: "Information that helps us fix it quickly",
    tags: ["service desk"],
    category: "Service desk",
    body: `Say in this order:

1. **What you wanted to do**, and what happened instead. The words of the message help most.
2. **Since when**, and whether it worked before.
3. **Who else has it**: you, your team, everyone.
4. **What waits for it**: that decides how soon somebody looks.

Attach logs as text. Never send a password.`,
  },
  {
    key: "slow-computer",
    title: "Your computer is slow",
    summary: "Four things to try before you call",
    tags: ["workplace", "performance"],
    category: "Workplace",
    body: `1. Restart it. Most of what is slow after two weeks is quick again.
2. Look which program uses the memory, and close what you do not need.
3. Is the disk nearly full? Below a tenth of free room everything gets slow.
4. On the road: is it the network? Open a page that you know to be quick.

If it stays slow, report an incident with the name of the computer and the program.`,
  },
  {
    key: "major-incident",
    title: "How we manage a major incident",
    summary: "Roles, communication and the end of an incident",
    tags: ["major incident", "on call"],
    category: "Operations",
    body: `An incident is major when many can't work and nobody knows yet why.

| Who | Does |
|---|---|
| Lead | decides, asks for people, keeps the timeline |
| Speaker | broadcasts what is known, every 30 minutes, also when nothing is new |
| Everyone else | works on one thing, and says so |

Declare it, link what others report as its children, and broadcast. When it is resolved, open a problem while
everyone still remembers.`,
  },
  {
    key: "plan-change",
    title: "Plan a change that gets approved",
    summary: "What approvers check",
    tags: ["change"],
    category: "Operations",
    body: `- **The items.** Name every configuration item that it touches: conflicts and risk follow from them.
- **The window.** With room for the way back.
- **The way back.** Somebody who was not there when it was planned must be able to follow it.
- **The test.** How you know that it worked, in a sentence.

What you do every week becomes a template, and needs no meeting.`,
  },
];

const artifactDefinitions: NonNullable<Descriptor["artifactDefinitions"]> = {
  "page-on-call": {
    name: "page-on-call",
    artifactType: "workflow_node",
    moduleKey: "itsm",
    description: "Pages the member on call for a service: a step for incidents of priority 1",
    status: "active",
    detail: {
      scriptSource: `export default defineArtifact({
  id: "page-on-call",
  version: "1.0.0",
  inputs: {
    service: { type: "string", required: true },
    summary: { type: "string", required: true },
    source: { type: "string" },
    at: { type: "timestamp" },
  },
  outputs: {
    paged: { type: "boolean", required: true },
    person: { type: "string" },
    pageId: { type: "string" },
  },
  async execute(input, context) {
    const at = input.at ?? new Date().toISOString();
    const [shift] = await context.tables.list("on_call_shifts", {
      filter: { service: input.service, startsAt: { lte: at }, endsAt: { gt: at } },
      sort: "level",
      limit: 1,
    });
    if (!shift) {
      context.log.warn("nobody is on call", { service: input.service, at });
      return { paged: false };
    }
    const page = await context.tables.create("pages", {
      service: input.service,
      summary: input.summary,
      person: shift.person,
      source: input.source ?? null,
    });
    return { paged: true, person: shift.person, pageId: page.id };
  },
});`,
    },
  },
  "priority-of": {
    name: "priority-of",
    artifactType: "data_transformer",
    moduleKey: "itsm",
    description: "Priority for impact and urgency, each from 1 to 3",
    status: "active",
    detail: {
      inputs: {
        impact: { type: "integer", required: true },
        urgency: { type: "integer", required: true },
      },
      outputs: { priority: { type: "integer", required: true } },
      scriptSource: `const level = (value) => Math.min(Math.max(value, 1), 3);
return { priority: level(input.impact) + level(input.urgency) - 1 };`,
    },
  },
};

const catalogItems = [
  {
    name: "New employee",
    description: "Accounts, a computer and a workplace for a new employee",
    category: "People",
    icon: "person-add",
    form: {
      type: "object",
      required: ["name", "startsOn"],
      properties: {
        name: { type: "string", title: "Name", minLength: 1, maxLength: 200 },
        startsOn: { type: "string", title: "First day", format: "date" },
        team: { type: "string", title: "Team", maxLength: 100 },
        laptop: {
          type: "string",
          title: "Laptop",
          enum: ["small", "large", "none"],
          default: "small",
        },
      },
      additionalProperties: false,
    },
    approval: { required: true, approverIds: [] },
    workflowId: "pack:workflows/onboarding",
  },
  {
    name: "Access to a system",
    description: "Rights that your work needs",
    category: "Access",
    icon: "key",
    form: {
      type: "object",
      required: ["system", "reason"],
      properties: {
        system: { type: "string", title: "System", minLength: 1, maxLength: 200 },
        role: { type: "string", title: "Role", enum: ["read", "write", "admin"], default: "read" },
        reason: { type: "string", title: "Reason", minLength: 1, maxLength: 2_000 },
      },
      additionalProperties: false,
    },
    approval: { required: true, approverIds: [] },
  },
  {
    name: "Software",
    description: "A program for your computer",
    category: "Workplace",
    icon: "app",
    form: {
      type: "object",
      required: ["software"],
      properties: {
        software: { type: "string", title: "Which one", minLength: 1, maxLength: 200 },
        computer: { type: "string", title: "On which computer", maxLength: 100 },
      },
      additionalProperties: false,
    },
  },
];

const changeTemplates = [
  {
    name: "Restart a service",
    description: "Restart of a service without dependents",
    title: "Restart of a service",
    impact: 3,
    justification: "Done every week, with an interruption of less than one minute.",
    implementationPlan:
      "1. Take the node out of the load balancer.\n2. Restart the service.\n3. Look at its health check.\n4. Put the node back.",
    rollbackPlan:
      "Start the previous version, and keep the node out until its health check passes.",
    testPlan: "The health check returns 200 three times in a row.",
  },
  {
    name: "Renew a certificate",
    description: "Replacement of an expiring certificate with the same names",
    title: "Renewal of a certificate",
    impact: 3,
    justification: "The current certificate expires. The new one has the same names and issuer.",
    implementationPlan:
      "1. Keep a copy of the former certificate and key.\n2. Install the new ones.\n3. Reload the server.",
    rollbackPlan: "Put the copy back and reload the server.",
    testPlan: "A connection from outside shows the new date, and the whole chain.",
  },
  {
    name: "Add a user to a group",
    description: "A user gets the permissions of a role at the request of their manager",
    title: "Membership of a group",
    impact: 3,
    justification: "It was requested and approved.",
    implementationPlan: "1. Check who approved the request.\n2. Add the user to the group.",
    rollbackPlan: "Remove the user from the group.",
    testPlan: "The user signs in again and reaches what the role is for.",
  },
];

const tables = [
  {
    slug: "on_call_shifts",
    name: "On-call shifts",
    description: "Who is paged for which service, and when",
    columns: [
      { name: "service", type: "text", required: true, indexed: true },
      { name: "person", type: "reference", options: { table: "users" }, required: true },
      { name: "startsAt", type: "timestamp", required: true, indexed: true },
      { name: "endsAt", type: "timestamp", required: true },
      { name: "level", type: "integer", options: { min: 1, max: 3 }, default: 1 },
    ],
    indexes: [{ columns: ["service", "startsAt"] }],
  },
  {
    slug: "pages",
    name: "Pages",
    description: "Pages that were sent, with their reasons",
    columns: [
      { name: "number", type: "autonumber", unique: true },
      { name: "service", type: "text", required: true, indexed: true },
      { name: "summary", type: "text", required: true },
      { name: "person", type: "reference", options: { table: "users" } },
      {
        name: "status",
        type: "enum",
        options: { values: ["sent", "acknowledged", "unanswered"] },
        default: "sent",
        indexed: true,
      },
      { name: "source", type: "text", description: "Reason of the page, such as INC0000001" },
    ],
  },
];

/** The baseline of a service desk. */
export const itsmPack: Descriptor = {
  id: "itsm_baseline_pack",
  name: "ITSM baseline",
  version: "1.1.0",
  description:
    "Starter content for a service desk: roles, SLA policies, a catalog, change templates, articles, on-call data and example workflows",
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
