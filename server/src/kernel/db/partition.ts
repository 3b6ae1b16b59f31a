export const ENVIRONMENT_NAMES = ["production", "staging", "development"] as const;
export type EnvironmentName = (typeof ENVIRONMENT_NAMES)[number];

/** Defines the visible and writable rows of a transaction. `(workspace, environment)` partitions all data. */
export interface Partition {
  readonly workspace: string;
  readonly environment: EnvironmentName;
  /** The user, for queries about a user instead of a workspace. */
  readonly user?: string;
}

/** A workspace id without rows, for code that runs before a workspace is chosen. */
export const NO_WORKSPACE = "00000000-0000-0000-0000-000000000000";

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const ENVIRONMENT = /^(production|staging|development)$/;
const USER_ID = /^usr_[0-9a-z]{26}$/;

/**
 * The statements that enter a partition for the session or one transaction. They are literal text, because they
 * share a message with `begin`; each value consists of safe characters.
 */
export function setPartitionSql(partition: Partition, scope: "session" | "local"): string {
  const { workspace, environment, user = "" } = partition;
  if (!UUID.test(workspace) || !ENVIRONMENT.test(environment)) {
    throw new Error("A partition is a workspace key and an environment.");
  }
  if (user !== "" && !USER_ID.test(user)) throw new Error("A partition's user is an id.");
  const set = scope === "local" ? "set local" : "set";
  return (
    `${set} millrace.workspace = '${workspace}'; ${set} millrace.environment = '${environment}'; ` +
    `${set} millrace.person = '${user}'`
  );
}

/** The name that identifies a partition. */
export function partitionName({ workspace, environment, user = "" }: Partition): string {
  return `${workspace} ${environment} ${user}`;
}
