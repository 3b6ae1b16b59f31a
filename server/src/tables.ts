// Generated from the migrated database by `npm run generate`. Do not edit.
import type { ColumnType } from "kysely";

/** Read as ISO 8601 text, written as a Date or text. */
type Time = ColumnType<string, Date | string, Date | string>;
/** Read as a value, written as JSON text. */
type Json = ColumnType<unknown, string, string>;
/** Need not be written, since it has a default. */
type Generated<T> =
  T extends ColumnType<infer S, infer I, infer U>
    ? ColumnType<S, I | undefined, U>
    : ColumnType<T, T | undefined, T>;

export interface Tables {
  api_tokens: {
    id: string;
    workspace_id: Generated<string>;
    user_id: string;
    name: string;
    token_hash: Buffer;
    scopes: string[];
    ip_allowlist: string[] | null;
    lifetime_days: number | null;
    expires_at: Time | null;
    last_used_at: Time | null;
    revision: Generated<number>;
    created_at: Time;
  };
  artifact_executions: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    artifact_id: string;
    version_number: number;
    trigger_type: string;
    status: string;
    due_at: Time | null;
    attempt: Generated<number>;
    started_at: Time;
    duration_ms: number;
    outcome: Json;
  };
  artifact_test_cases: {
    id: string;
    workspace_id: Generated<string>;
    artifact_id: string;
    name: string;
    input_payload: Json;
    expected: Json;
    mocks: Generated<Json>;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  artifact_versions: {
    artifact_id: string;
    number: number;
    workspace_id: Generated<string>;
    version: string;
    detail: Json;
    definition: Json;
    restored_from: number | null;
    author_id: string;
    author_name: string;
    created_at: Time;
  };
  artifacts: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    module_key: string;
    description: Generated<string>;
    artifact_type: string;
    status: string;
    detail: Json;
    definition: Json;
    version: string;
    version_number: Generated<number>;
    run_as: string;
    permissions: string[] | null;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
  };
  cmdb_items: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
  };
  connector_actions: {
    workspace_id: Generated<string>;
    connector_id: string;
    name: string;
    action: Json;
  };
  connectors: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    type: string;
    config: Json;
    auth: Json;
    sealed: Buffer | null;
    document: Json | null;
    status: Generated<string>;
    status_reason: string | null;
    status_changed_at: Time | null;
    failures: Generated<number>;
    retry_at: Time | null;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
  };
  deliveries: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    webhook_id: string;
    id: string;
    event_epoch: number;
    event_xid: string;
    event_seq: number;
    event_type: string;
    resource_id: string;
    replay_of: string | null;
    url: string;
    format: string;
    status: string;
    due_at: Generated<Time | null>;
    attempts: Generated<number>;
    attempts_before: Generated<number>;
    last_attempt_at: Time | null;
    last_response_status: number | null;
    last_response_body: string | null;
    last_duration_ms: number | null;
    last_error: string | null;
    earlier_attempts: Json | null;
    created_at: Time;
  };
  desk_settings: {
    workspace_id: Generated<string>;
    priority_matrix: Json;
    auto_close_days: number;
    revision: Generated<number>;
    updated_at: Time;
  };
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
  invitations: {
    id: string;
    workspace_id: Generated<string>;
    email: string;
    name: string;
    role_ids: string[];
    token_hash: Buffer;
    invited_by: string;
    revision: Generated<number>;
    created_at: Time;
    expires_at: Time;
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
    claimed_at: Time | null;
    next_due_at: Time | null;
    next_payload: Json | null;
    failed_at: Time | null;
    last_error: string | null;
    correlation_id: string;
    causation_id: string | null;
    depth: Generated<number>;
    created_at: Time;
  };
  known_addresses: {
    user_id: string;
    address_hash: Buffer;
    seen_at: Time;
  };
  lane_nodes: {
    name: string;
    node: string;
    seen_at: Time;
  };
  lanes: {
    name: string;
    lane: number;
    node: string;
    held_until: Time;
  };
  memberships: {
    workspace_id: Generated<string>;
    user_id: string;
    roles: string[];
    status: Generated<string>;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  message_keys: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    topic: string;
    key: string;
    message_id: string;
    expires_at: Time;
  };
  mfa_recovery_codes: {
    user_id: string;
    code_hash: Buffer;
  };
  mfa_totp: {
    user_id: string;
    secret: Buffer;
    last_step: Generated<number>;
    created_at: Time;
    enrolled_at: Time | null;
  };
  notification_preferences: {
    workspace_id: Generated<string>;
    user_id: string;
    email: Generated<boolean>;
    revision: Generated<number>;
    updated_at: Time;
  };
  notifications: {
    id: string;
    workspace_id: Generated<string>;
    user_id: string;
    environment: Generated<"production" | "staging" | "development">;
    title: string;
    body: string;
    event_id: string | null;
    event_type: string | null;
    resource_type: string | null;
    resource_id: string | null;
    read_at: Time | null;
    revision: Generated<number>;
    created_at: Time;
  };
  oauth_applications: {
    client_id: string;
    workspace_id: Generated<string>;
    name: string;
    redirect_uris: string[];
    allowed_scopes: string[];
    secret_hash: Buffer;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  oauth_grants: {
    id: string;
    workspace_id: Generated<string>;
    client_id: string;
    user_id: string;
    scopes: string[];
    redirect_uri: string;
    code_challenge: string;
    code_hash: Buffer | null;
    code_expires_at: Time;
    code_used_at: Time | null;
    revoked_at: Time | null;
    created_at: Time;
  };
  oauth_tokens: {
    id: string;
    workspace_id: Generated<string>;
    grant_id: string;
    kind: string;
    token_hash: Buffer;
    scopes: string[];
    expires_at: Time;
    used_at: Time | null;
    created_at: Time;
  };
  pack_installs: {
    workspace_id: Generated<string>;
    pack_id: string;
    environment: "production" | "staging" | "development";
    name: string;
    version: string;
    description: string;
    author: string;
    dependencies: Json;
    checksum: string;
    made: Json;
    revision: Generated<number>;
    installed_by: string;
    installed_at: Time;
    updated_at: Time;
  };
  parked_events: {
    reader: string;
    epoch: number;
    xid: string;
    seq: number;
    workspace_id: string;
    environment: "production" | "staging" | "development";
    error: string;
    parked_at: Time;
  };
  password_resets: {
    user_id: string;
    token_hash: Buffer;
    created_at: Time;
    expires_at: Time;
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
  run_approvals: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    run_id: string;
    path: string;
    approvers: string[];
    quorum: number;
    message: string | null;
    expires_at: Time | null;
    decided_by: Generated<string[]>;
    created_at: Time;
  };
  run_journal: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    run_id: string;
    entry: number;
    records: Json;
    written_at: Time;
  };
  run_waits: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    run_id: string;
    path: string;
    topic: string;
    event_type: string | null;
    filter: Json | null;
    since_epoch: number;
    since: Generated<string>;
  };
  runs: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    workflow_id: string;
    version_id: string;
    lane: number;
    status: string;
    due_at: Time | null;
    trigger_type: string;
    trigger: Json;
    event_id: string | null;
    test: Json | null;
    output: Json | null;
    error: Json | null;
    actor: Json;
    run_as: string;
    permissions: string[] | null;
    correlation_id: string;
    causation_id: string | null;
    depth: number;
    parent_run_id: string | null;
    parent_path: string | null;
    limited: boolean;
    concurrency_key: string | null;
    generation: Generated<number>;
    deadline_at: Time | null;
    entries: Generated<number>;
    created_at: Time;
    started_at: Time | null;
    finished_at: Time | null;
  };
  saved_queries: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    description: Generated<string>;
    sql: string;
    parameters: Generated<Json>;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
  };
  scheduled_jobs: {
    artifact_id: string;
    workspace_id: Generated<string>;
    environment: "production" | "staging" | "development";
    due_at: Time | null;
    run_at: Time | null;
    attempt: Generated<number>;
    claim: string | null;
    claimed_until: Time | null;
    began_at: Time | null;
    last_execution: Json | null;
  };
  secrets: {
    workspace_id: Generated<string>;
    name: string;
    description: string;
    sealed: Buffer;
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
    confined_to: string | null;
  };
  sso_assertions: {
    workspace_id: Generated<string>;
    id_hash: Buffer;
    expires_at: Time;
  };
  sso_configurations: {
    workspace_id: Generated<string>;
    protocol: string;
    provider: Json;
    client_secret: Buffer | null;
    jit_provisioning: boolean;
    default_role: string;
    enforce_sso: boolean;
    revision: Generated<number>;
    created_at: Time;
    updated_at: Time;
  };
  sso_members: {
    workspace_id: Generated<string>;
    user_id: string;
    issuer: string | null;
    subject: string | null;
    adopted: boolean;
    created_at: Time;
  };
  sso_requests: {
    state_hash: Buffer;
    workspace_id: Generated<string>;
    browser_hash: Buffer;
    details: Buffer;
    expires_at: Time;
  };
  table_migration_states: {
    migration_id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    status: string;
    checksum: string;
    inverse: Json | null;
    statements: Json;
    error: Json | null;
    changed_by: string;
    changed_at: Time;
  };
  table_migrations: {
    id: string;
    workspace_id: Generated<string>;
    number: number;
    name: string;
    up: Json;
    down: Json | null;
    checksum: string;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
  };
  team_members: {
    workspace_id: Generated<string>;
    team_id: string;
    user_id: string;
  };
  teams: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    description: Generated<string>;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
  };
  ticket_attachments: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    kind: string;
    ticket_id: string;
    name: string;
    bytes: number;
    content: string;
    created_by: string;
    created_at: Time;
  };
  ticket_comments: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    kind: string;
    ticket_id: string;
    body: string;
    internal: boolean;
    created_by: string;
    created_at: Time;
  };
  ticket_items: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    kind: string;
    ticket_id: string;
    item_id: string;
  };
  ticket_links: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    type: string;
    from_kind: string;
    from_id: string;
    to_kind: string;
    to_id: string;
    created_by: string;
    created_at: Time;
  };
  ticket_numbers: {
    workspace_id: Generated<string>;
    kind: string;
    last: number;
  };
  ticket_watchers: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    kind: string;
    ticket_id: string;
    user_id: string;
    created_at: Time;
  };
  topic_counts: {
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    topic: string;
    events: number;
    last_event_at: Time;
  };
  user_tables: {
    id: string;
    workspace_id: Generated<string>;
    environment: Generated<"production" | "staging" | "development">;
    slug: string;
    name: string;
    description: Generated<string>;
    columns: Json;
    indexes: Generated<Json>;
    rules: Generated<Json>;
    revision: Generated<number>;
    renamed_revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
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
  webauthn_challenges: {
    challenge_hash: Buffer;
    user_id: string;
    purpose: string;
    expires_at: Time;
  };
  webauthn_credentials: {
    id: string;
    user_id: string;
    credential_id: string;
    public_key: Buffer;
    counter: number;
    transports: string[];
    name: string;
    created_at: Time;
    last_used_at: Time | null;
  };
  webhooks: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    url: string;
    events: string[];
    environments: string[] | null;
    filter: Json | null;
    hears_audit: Generated<boolean>;
    headers: Generated<Json>;
    secret: Buffer | null;
    previous_secret: Buffer | null;
    previous_secret_until: Time | null;
    format: string;
    retries: number;
    retry_strategy: string;
    retry_max_delay_ms: number | null;
    timeout_ms: number;
    max_per_second: number | null;
    status: string;
    paused_because: string | null;
    paused_at: Time | null;
    since_epoch: number;
    since: Generated<string>;
    place_epoch: number | null;
    place_xid: string | null;
    place_seq: number | null;
    consecutive_failures: Generated<number>;
    lane: number;
    revision: Generated<number>;
    created_by: string;
    created_at: Time;
    updated_at: Time;
    saved_by: string | null;
  };
  workflow_deployments: {
    workspace_id: Generated<string>;
    workflow_id: string;
    environment: "production" | "staging" | "development";
    version_id: string;
    previous_version_id: string | null;
    enabled: boolean;
    deployed_by: string;
    permissions: string[] | null;
    deployed_at: Time;
    trigger_type: string;
    topic: string | null;
    since_epoch: number;
    since: Generated<string>;
  };
  workflow_pins: {
    workflow_id: string;
    workspace_id: Generated<string>;
    outputs: Json;
    revision: Generated<number>;
    updated_at: Time;
  };
  workflow_versions: {
    id: string;
    workspace_id: Generated<string>;
    workflow_id: string;
    number: number;
    label: string | null;
    status: string;
    definition: Json;
    change_summary: string;
    author_id: string;
    author_name: string;
    revision: Generated<number>;
    created_at: Time;
  };
  workflows: {
    id: string;
    workspace_id: Generated<string>;
    name: string;
    definition: Json;
    newest: Generated<number>;
    hook_token: string;
    archived_at: Time | null;
    revision: Generated<number>;
    created_by: string;
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
