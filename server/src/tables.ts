// Generated from the migrated database by `npm run generate`. Do not edit.
import type { ColumnType, Generated } from "kysely";

/** Read as ISO 8601 text, written as a Date or text. */
type Time = ColumnType<string, Date | string, Date | string>;
/** Read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>;

export interface Tables {
  events: {
    epoch: number;
    xid: Generated<string>;
    seq: Generated<number>;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    topic: string;
    type: string;
    actor_id: string;
    actor_type: string;
    actor_name: string;
    resource_type: string;
    resource_id: string;
    resource_number: string | null;
    resource_name: string | null;
    request_id: string | null;
    correlation_id: string;
    causation_id: string | null;
    depth: Generated<number>;
    created_at: Time;
    data: Json;
  };
  idempotency_keys: {
    scope: string;
    key: string;
    request: Buffer;
    answer: Buffer;
    expires_at: Time;
  };
  installation: {
    the_only_one: Generated<boolean>;
    key_check: Buffer;
    epoch: Generated<number>;
    cluster: string;
    home_workspace_id: string;
    created_at: Time;
  };
  jobs: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    kind: string;
    key: string | null;
    payload: Json;
    due_at: Time;
    attempts: Generated<number>;
    generation: Generated<number>;
    failed_at: Time | null;
    last_error: string | null;
    correlation_id: string;
    causation_id: string | null;
    depth: Generated<number>;
    created_at: Time;
  };
  memberships: {
    workspace_id: Generated<string>;
    user_id: string;
    roles: string[];
    revision: Generated<number>;
    created_at: Time;
  };
  readers: {
    name: string;
    epoch: number;
    xid: string;
    seq: number;
    updated_at: Time;
  };
  roles: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    description: string;
    permissions: string[];
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: Buffer;
    created_at: Time;
    expires_at: Time;
  };
  users: {
    id: string;
    email: string;
    name: string;
    password_hash: string | null;
    status: Generated<string>;
    mfa_enrolled: Generated<boolean>;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  workspace_keys: {
    workspace_id: Generated<string>;
    wrapped: Buffer;
    created_at: Time;
  };
  workspaces: {
    key: Generated<string>;
    slug: string;
    name: string;
    description: Generated<string>;
    plan: Generated<string>;
    timezone: Generated<string>;
    enforce_mfa: Generated<boolean>;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
}
