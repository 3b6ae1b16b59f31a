import { readSamples, sweptOperations } from "#kernel/testing/sweep.ts";
import type { Ask, World } from "#kernel/testing/world.ts";

/** Commands whose samples create rows in most tables. */
const COMMANDS: readonly string[] = [
  "apps.deploy",
  "artifacts.create",
  "changes.create",
  "cmdb.create_relationship",
  "connectors.create",
  "incidents.comment",
  "knowledge.create",
  "kpis.create",
  "mail.receive",
  "oauth.create_application",
  "records.create",
  "report_schedules.create",
  "requests.submit",
  "roles.create",
  "scheduled_jobs.create",
  "secrets.create",
  "sla.create",
  "sso.put",
  "table_views.create",
  "tickets.attach",
  "tokens.create",
  "users.invite",
  "webhooks.create",
  "workflows.publish",
];

/** Fills the home workspace with most kinds of resources, using samples of some commands. */
export async function fillWorkspace(world: World, owner: Ask): Promise<void> {
  const samples = await readSamples();
  for (const { id, route } of sweptOperations.filter((op) => COMMANDS.includes(op.id))) {
    const [sample] = samples.get(id) ?? [];
    if (!sample) continue;
    const { params = {}, body, by = owner } = await sample.arrange(owner, world);
    await by(
      route.replaceAll(/\{(\w+)\}/g, (_, name) => params[String(name)] ?? ""),
      body,
    );
  }
}
