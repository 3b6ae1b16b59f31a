/**
 * Pickers of things that a step names: connectors, actions, tables, topics, people, workflows. Each with a way to it.
 */
import { Link } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";
import type { FieldProps } from "../../form/index.ts";

interface Picker {
  readonly options: readonly ComboOption[];
  readonly isLoading: boolean;
}

interface ReferencePickerProps {
  readonly kind: string;
  readonly field: FieldProps;
  /** The fields beside it: an action is one of the connector that was chosen. */
  readonly beside: Readonly<Record<string, unknown>>;
}

const PAGE = { limit: 200 } as const;
const KEPT_MS = 60_000;

/** A kind that is not known, or that one may not list, is written by hand. */
export function ReferencePicker({ kind, field, beside }: ReferencePickerProps) {
  const { options, isLoading } = usePicker(kind, beside);
  const value = typeof field.value === "string" ? field.value : undefined;
  const isKnown = value !== undefined && options.some((option) => option.value === value);
  return (
    <div className="reference">
      <Combobox
        id={field.id}
        label={field.label}
        options={options}
        isLoading={isLoading}
        value={value}
        isFree
        isDisabled={field.isDisabled}
        isInvalid={field.error !== undefined}
        describedBy={field.describedBy}
        placeholder={field.schema["x-placeholder"] ?? "Choose or write"}
        onChange={field.onChange}
      />
      {kind === "workflow" && isKnown && (
        <Link
          to="/workflows/$id"
          params={{ id: value }}
          className="btn bare icon"
          aria-label="Open the workflow"
          title="Open the workflow"
        >
          <SquareArrowOutUpRight />
        </Link>
      )}
    </div>
  );
}

function usePicker(kind: string, beside: Readonly<Record<string, unknown>>): Picker {
  const may = useMay();
  const when = (kinds: readonly string[], permission: string) => ({
    enabled: kinds.includes(kind) && may(permission),
    staleTime: KEPT_MS,
  });
  const workflows = useOp("workflows.list", { query: PAGE }, when(["workflow"], "workflows:read"));
  const connectors = useOp(
    "connectors.list",
    { query: PAGE },
    when(["connector"], "connectors:read"),
  );
  const tables = useOp("tables.list", { query: PAGE }, when(["table"], "tables:read"));
  const topics = useOp("topics.list", { query: PAGE }, when(["topic"], "events:read"));
  const secrets = useOp("secrets.list", { query: PAGE }, when(["secret"], "secrets:read"));
  const types = useOp("event_types.list", { query: {} }, when(["event_type"], "events:read"));
  const users = useOp("users.list", { query: PAGE }, when(["user", "approver"], "users:read"));
  const roles = useOp("roles.list", { query: PAGE }, when(["approver"], "roles:read"));
  const artifacts = useOp("artifacts.list", { query: PAGE }, when(["artifact"], "artifacts:read"));
  const saved = useOp("queries.list", { query: PAGE }, when(["query"], "queries:read"));
  const reports = useOp("reports.list", { query: PAGE }, when(["report"], "analytics:read"));
  const connectorId = typeof beside["connectorId"] === "string" ? beside["connectorId"] : "";
  const actions = useOp(
    "connectors.actions",
    { params: { id: connectorId }, query: PAGE },
    { enabled: kind === "connector_action" && connectorId !== "" && may("connectors:read") },
  );
  const named = (list: readonly { id: string; name: string }[] = []): readonly ComboOption[] =>
    list.map(({ id, name }) => ({ value: id, label: name }));
  const lists: Readonly<Record<string, readonly ComboOption[]>> = {
    workflow: named(workflows.data?.data),
    connector: (connectors.data?.data ?? []).map(({ id, name, type }) => ({
      value: id,
      label: name,
      group: type,
    })),
    connector_action: (actions.data?.data ?? []).map(({ name, summary }) => ({
      value: name,
      label: name,
      about: summary,
    })),
    table: (tables.data?.data ?? []).map(({ slug, name }) => ({
      value: slug,
      label: name,
      group: slug,
    })),
    topic: (topics.data?.data ?? []).map(({ name }) => ({ value: name, label: name })),
    secret: (secrets.data?.data ?? []).map(({ name, description }) => ({
      value: `{{secrets.${name}}}`,
      label: name,
      about: description,
    })),
    event_type: (types.data?.data ?? []).map(({ type, summary }) => ({
      value: type,
      label: type,
      about: summary,
    })),
    artifact: named(artifacts.data?.data),
    query: named(saved.data?.data),
    report: named(reports.data?.data),
    user: named(users.data?.data),
    approver: [
      ...(roles.data?.data ?? []).map(({ id, name }) => ({
        value: id,
        label: name,
        group: "role",
      })),
      ...named(users.data?.data),
    ],
  };
  const queries = [
    workflows,
    connectors,
    tables,
    topics,
    secrets,
    users,
    roles,
    artifacts,
    saved,
    reports,
    types,
    actions,
  ];
  return { options: lists[kind] ?? [], isLoading: queries.some(({ isFetching }) => isFetching) };
}
