/**
 * Pickers for the resources that a step refers to: connectors, actions, tables, topics, people and workflows. Each
 * links to the selected one.
 */
import { Link } from "@tanstack/react-router";
import { SquareArrowOutUpRight } from "lucide-react";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { useNames } from "../../data/names/names.ts";
import { useColumnOptions } from "../../data/options/column-options.ts";
import type { SearchedOptions } from "../../data/options/option-search.ts";
import {
  usePeopleSearch,
  useTeamSearch,
  useWorkflowName,
  useWorkflowSearch,
} from "../../data/options/searches.ts";
import { type Right, useMay } from "../../data/people.ts";
import { Combobox, type ComboOption } from "../../ui/overlay/combobox.tsx";
import { filterOptions } from "../../ui/overlay/options.tsx";
import type { FieldProps } from "../../form/index.ts";

interface Picker {
  readonly options: readonly ComboOption[];
  readonly isLoading: boolean;
}

interface ReferencePickerProps {
  readonly kind: string;
  readonly field: FieldProps;
  /** Values of the sibling fields: the list of actions depends on the selected connector. */
  readonly beside: Readonly<Record<string, unknown>>;
}

const PAGE = { limit: 200 } as const;
const KEPT_MS = 60_000;

/** Falls back to a text field if the kind is unknown or the user may not list it. */
export function ReferencePicker({ kind, field, beside }: ReferencePickerProps) {
  const value = typeof field.value === "string" ? field.value : undefined;
  const picker = usePicker(kind, beside);
  const found = useFound(kind, picker);
  const nameOf = useNames();
  const workflow = useWorkflowName(kind === "workflow" ? value : undefined);
  return (
    <div className="reference">
      <Combobox
        id={field.id}
        label={field.label}
        isLoading={picker.isLoading}
        {...found}
        value={value}
        chosen={workflow ?? nameOf(value)}
        isFree
        isDisabled={field.isDisabled}
        isInvalid={field.error !== undefined}
        describedBy={field.describedBy}
        placeholder={field.schema["x-placeholder"] ?? "Select or enter a value"}
        onChange={field.onChange}
      />
      {workflow !== undefined && value !== undefined && (
        <Link
          to="/workflows/$id"
          params={{ id: value }}
          className="btn bare icon"
          aria-label="Open workflow"
          title="Open workflow"
        >
          <SquareArrowOutUpRight />
        </Link>
      )}
    </div>
  );
}

/** Workflows and people are searched on the server; other kinds have few entries and are filtered here. */
function useFound(
  kind: string,
  { options }: Picker,
): Partial<SearchedOptions> & Pick<Picker, "options"> {
  const workflows = useWorkflowSearch();
  const people = usePeopleSearch();
  const teams = useTeamSearch();
  const [words, setWords] = useState("");
  if (kind === "workflow") return workflows;
  if (kind === "user") return people;
  if (kind === "team") return teams;
  if (kind !== "approver") return { options };
  const onWords = (next: string | undefined): void => {
    setWords(next ?? "");
    people.search.onWords(next);
  };
  return {
    options: [...filterOptions(options, words), ...people.options],
    search: { ...people.search, onWords },
  };
}

function usePicker(kind: string, beside: Readonly<Record<string, unknown>>): Picker {
  const may = useMay();
  const when = (kinds: readonly string[], right: Right) => ({
    enabled: kinds.includes(kind) && may(right),
    staleTime: KEPT_MS,
  });
  const connectors = useOp(
    "connectors.list",
    { query: PAGE },
    when(["connector"], "connectors.list"),
  );
  const tables = useOp("tables.list", { query: PAGE }, when(["table"], "tables.list"));
  const topics = useOp("topics.list", { query: PAGE }, when(["topic"], "topics.list"));
  const secrets = useOp("secrets.list", { query: PAGE }, when(["secret"], "secrets.list"));
  const types = useOp("event_types.list", { query: {} }, when(["event_type"], "event_types.list"));
  const roles = useOp("roles.list", { query: PAGE }, when(["approver"], "roles.list"));
  const artifacts = useOp("artifacts.list", { query: PAGE }, when(["artifact"], "artifacts.list"));
  const saved = useOp("queries.list", { query: PAGE }, when(["query"], "queries.list"));
  const reports = useOp("reports.list", { query: PAGE }, when(["report"], "reports.list"));
  const connectorId = typeof beside["connectorId"] === "string" ? beside["connectorId"] : "";
  const actions = useOp(
    "connectors.actions",
    { params: { id: connectorId }, query: PAGE },
    { enabled: kind === "connector_action" && connectorId !== "" && may("connectors.actions") },
  );
  const table = typeof beside["table"] === "string" ? beside["table"] : undefined;
  const columns = useColumnOptions(kind === "column" ? table : undefined);
  const named = (list: readonly { id: string; name: string }[] = []): readonly ComboOption[] =>
    list.map(({ id, name }) => ({ value: id, label: name }));
  if (kind === "column") return columns;
  const lists: Readonly<Record<string, readonly ComboOption[]>> = {
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
    approver: (roles.data?.data ?? []).map(({ id, name }) => ({
      value: id,
      label: name,
      group: "role",
    })),
  };
  const queries = [
    connectors,
    tables,
    topics,
    secrets,
    roles,
    artifacts,
    saved,
    reports,
    types,
    actions,
  ];
  return { options: lists[kind] ?? [], isLoading: queries.some(({ isFetching }) => isFetching) };
}
