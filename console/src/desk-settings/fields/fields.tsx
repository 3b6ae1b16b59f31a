import "../../ui/display/trial.css";
import { useState } from "react";
import { type Schemas, useOp } from "../../data/api.ts";
import { useForm } from "../../data/form/use-form.ts";
import { versionOf } from "../../data/form/version.ts";
import { TICKET_KINDS, type TicketKind } from "../../data/tickets/ticket-kinds.ts";
import { Form } from "../../form/index.ts";
import { FormPanel } from "../../shell/form/form-panel.tsx";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { FieldList } from "./field-list.tsx";
import { toSchema, toSentField } from "./own-field.ts";

const KINDS = TICKET_KINDS.map(([id, label]) => ({ id, label }));

/** The custom fields of each ticket kind, next to a preview of the form. */
export function OwnFieldSettings() {
  const [open, setOpen] = useOpen();
  const kind: TicketKind = KINDS.find(({ id }) => id === open)?.id ?? "incident";
  const { data, error, refetch } = useOp("desk.get_kind", { params: { kind } });
  const found = data?.data.kind === kind ? data.data : undefined;
  return (
    <div className="settings-scroll scroll">
      <Tabs label="Ticket types" tabs={KINDS} chosen={kind} onChoose={setOpen}>
        {error && <ErrorNotice error={error} retry={() => void refetch()} />}
        {!found && !error && <Loading rows={6} />}
        {found && <FieldsEditor key={kind} kind={kind} found={found} />}
      </Tabs>
    </div>
  );
}

interface FieldsEditorProps {
  readonly kind: TicketKind;
  readonly found: Schemas["TicketKind"];
}

function FieldsEditor({ kind, found }: FieldsEditorProps) {
  const [tried, setTried] = useState<unknown>({});
  const params = { kind };
  const form = useForm("desk.update_kind", {
    params,
    initial: { fields: found.fields },
    version: versionOf("desk.get_kind", { params }, ({ data }) => ({ fields: data.fields })),
    encode: { fields: (fields) => fields.map(toSentField) },
    said: "Fields saved",
  });
  const fields = form.values.fields ?? [];
  return (
    <FormPanel
      form={form}
      label={`Fields of ${KINDS.find(({ id }) => id === kind)?.label.toLowerCase()}`}
      hasTitle
      aside={
        <section className="trial" aria-label="Preview for agents">
          <h3>Preview for agents</h3>
          {fields.length === 0 ? (
            <p className="muted">No custom fields yet.</p>
          ) : (
            <Form
              schema={toSchema(fields)}
              value={tried}
              onChange={setTried}
              isDense
              hasSummary={false}
            />
          )}
        </section>
      }
    >
      <FieldList list={form.field("fields")} />
    </FormPanel>
  );
}
