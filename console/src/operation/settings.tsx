import { useState } from "react";
import { useOp } from "../data/api.ts";
import { Section } from "../ui/display/section.tsx";
import { Table } from "../ui/display/table.tsx";
import { Empty, ErrorNotice, Loading } from "../ui/feedback.tsx";
import { TextInput } from "../ui/form/controls.tsx";

export function Settings() {
  const { data, error, isPending, refetch } = useOp("installation.read_settings");
  const [text, setText] = useState("");
  const sought = text.trim().toLowerCase();
  const rows = (data?.data.settings ?? []).filter(
    ({ name, expected }) =>
      name.toLowerCase().includes(sought) || expected.toLowerCase().includes(sought),
  );
  return (
    <Section
      title="Settings"
      about="Environment variables of this process, read at its start. Secrets are hidden."
      act={
        <TextInput
          className="operation-search"
          type="search"
          aria-label="Search settings"
          placeholder="Search…"
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
      }
    >
      {error && <ErrorNotice error={error} retry={() => void refetch()} />}
      {isPending && <Loading rows={12} />}
      {data && (
        <Table
          label="Settings"
          rows={rows}
          keyOf={({ name }) => name}
          empty={<Empty title="No matching settings" />}
          columns={[
            {
              id: "name",
              label: "Setting",
              width: "320px",
              cell: ({ name }) => <span className="mono cut">{name}</span>,
              sortBy: ({ name }) => name,
            },
            {
              id: "value",
              label: "Current value",
              cell: ({ value, isSecret, isSet, expected }) => (
                <span className={isSet ? "mono cut" : "mono cut muted"} title={expected}>
                  {isSecret ? (isSet ? "•••• set" : "not set") : (value ?? "not set")}
                </span>
              ),
            },
            {
              id: "from",
              label: "Source",
              width: "110px",
              cell: ({ isSet }) => (isSet ? "environment" : <span className="muted">default</span>),
              sortBy: ({ isSet }) => (isSet ? 0 : 1),
            },
          ]}
        />
      )}
    </Section>
  );
}
