import { eventTypeDoubt, isReserved, PLATFORM_EVENTS, platformTopics } from "#domains/bus/index.ts";
import {
  approval,
  type CheckedParts,
  type CheckSource,
  type Config,
  isTemplate,
  notify,
  publishEvent,
  type ReferenceCheck,
  waitForEvent,
} from "#domains/workflows/index.ts";
import { BUILT_IN_ROLES } from "#kernel/access/permission.ts";
import type { FieldError } from "#kernel/operation/failure.ts";
import { closestName } from "#kernel/schema/closest-name.ts";

/** Finds nodes with references to missing people, roles or topics, or to those of another workspace. */
export const checkPeopleAndTopics: ReferenceCheck = async (source, parts) => {
  const { services } = source;
  const events = [
    ...parts.triggers
      .filter(({ config }) => config["type"] === "event_bus")
      .map(({ config, path }) => ({ match: config, path })),
    ...parts.nodes
      .filter(({ type }) => type === waitForEvent.type)
      .map(({ config, path }) => ({ match: config, path: `${path}/config` })),
  ].map(({ match, path }) => matchIssues(source, match, path));
  const reserved = parts.nodes.filter(({ type, config: { topic } }) => {
    return type === publishEvent.type && isLiteral(topic) && isReserved(services, topic);
  });
  return {
    errors: [
      ...(await peopleErrors(source, parts)),
      ...reserved.map(({ path }) => ({
        path: `${path}/config/topic`,
        message: "is a topic that only the platform can publish to",
      })),
      ...events.flatMap(({ errors }) => errors),
    ],
    warnings: events.flatMap(({ warnings }) => warnings),
  };
};

function isLiteral(value: unknown): value is string {
  return typeof value === "string" && !isTemplate(value);
}

/** A platform topic has a fixed list of event types. Other topics accept any type. */
function matchIssues(
  { services }: CheckSource,
  { topic, eventType }: Config,
  path: string,
): { readonly errors: FieldError[]; readonly warnings: FieldError[] } {
  if (!isLiteral(topic)) return { errors: [], warnings: [] };
  const topics = [PLATFORM_EVENTS, ...platformTopics(services)];
  const isPlatform = topics.includes(topic);
  const closest = isPlatform ? undefined : closestName(topic, topics);
  const warnings =
    closest === undefined
      ? []
      : [
          {
            path: `${path}/topic`,
            message: `is not a topic of the platform (did you mean ${closest}?)`,
          },
        ];
  const message = isLiteral(eventType) ? eventTypeDoubt(services, eventType) : undefined;
  if (message === undefined) return { errors: [], warnings };
  const issue = { path: `${path}/eventType`, message };
  return isPlatform
    ? { errors: [issue], warnings }
    : { errors: [], warnings: message.includes("did you mean") ? [...warnings, issue] : warnings };
}

async function peopleErrors({ tx }: CheckSource, { nodes }: CheckedParts): Promise<FieldError[]> {
  const named = nodes.flatMap(({ type, config, path }) => {
    const field =
      type === approval.type ? "approvers" : type === notify.type ? "userIds" : undefined;
    const names: unknown = field && config[field];
    if (!field || !Array.isArray(names)) return [];
    return names.flatMap((name: unknown, index) =>
      isLiteral(name) ? [{ field, name, path: `${path}/config/${field}/${index}` }] : [],
    );
  });
  if (named.length === 0) return [];
  const names = named.map(({ name }) => name);
  const [members, roles] = await Promise.all([
    tx.selectFrom("memberships").select("user_id").where("user_id", "in", names).execute(),
    tx.selectFrom("roles").select(["id", "name"]).execute(),
  ]);
  const people = new Set(members.map(({ user_id }) => user_id));
  const known = new Set<string>([
    ...people,
    ...BUILT_IN_ROLES,
    ...roles.flatMap(({ id, name }) => [id, name]),
  ]);
  return named.flatMap(({ field, name, path }) => {
    if (field === "userIds") {
      return people.has(name) ? [] : [{ path, message: "is not a member of this workspace" }];
    }
    return known.has(name)
      ? []
      : [{ path, message: "is not a member or a role of this workspace" }];
  });
}
