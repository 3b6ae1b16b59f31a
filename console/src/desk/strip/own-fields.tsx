import { useEffect, useState } from "react";
import { useOp } from "../../data/api.ts";
import { useMay } from "../../data/people.ts";
import { Form, type Schema } from "../../form/index.ts";
import { KINDS, type Ticket, UPDATE } from "../ticket-kind.ts";
import { changeFields } from "../ticket/use-acts.ts";
import { Button } from "../../ui/form/button.tsx";

type Values = Readonly<Record<string, unknown>>;

/** The custom fields of this kind, generated from their schema and edited in place. */
export function OwnFields({ ticket }: { readonly ticket: Ticket }) {
  const may = useMay();
  const kind = useOp(
    "desk.get_kind",
    { params: { kind: ticket.kind } },
    { enabled: may("teams.list") },
  ).data?.data;
  const saved = (ticket.all["fields"] ?? {}) as Values;
  const [draft, setDraft] = useState<Values>();
  const savedText = JSON.stringify(saved);
  useEffect(() => setDraft(undefined), [savedText]);
  if (!kind || kind.fields.length === 0) return null;
  const value = draft ?? saved;
  const isChanged = JSON.stringify(value) !== savedText;
  const save = (): void => {
    const changed = kind.fields.filter(({ key }) => value[key] !== saved[key]);
    const fields = Object.fromEntries(changed.map(({ key }) => [key, value[key] ?? null]));
    const names = changed.map(({ name }) => name).join(", ");
    void changeFields(ticket, UPDATE[ticket.kind], { fields }, `${ticket.number}: ${names} saved`);
  };
  return (
    <form
      className="strip-part own-fields"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <h2>More</h2>
      <Form
        schema={kind.schema as Schema}
        value={value}
        onChange={(next) => setDraft(next as Values)}
        isDense
        isDisabled={!may(KINDS[ticket.kind].write)}
        hasSummary={false}
      />
      {isChanged && (
        <div className="row">
          <Button look="main">Save</Button>
          <Button type="button" onClick={() => setDraft(undefined)}>
            Cancel
          </Button>
        </div>
      )}
    </form>
  );
}
