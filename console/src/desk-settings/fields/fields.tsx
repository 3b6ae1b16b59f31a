import "../../ui/display/trial.css";
import { useState } from "react";
import { call, etagOf, type Schemas, useOp } from "../../data/api.ts";
import { TICKET_KINDS, type TicketKind } from "../../data/tickets/ticket-kinds.ts";
import { useRefusals } from "../../data/people.ts";
import { Form } from "../../form/index.ts";
import { ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { EditorForm } from "../frame/editor-form.tsx";
import { useOpen } from "../frame/shelf.tsx";
import { useEditor } from "../frame/use-editor.ts";
import { FieldList } from "./field-list.tsx";
import { type OwnField, toSchema, toSentField } from "./own-field.ts";

const KINDS = TICKET_KINDS.map(([id, label]) => ({ id, label }));

/** The fields that each kind has beyond ours, beside the form that they make. */
export function OwnFieldSettings() {
  const [open, setOpen] = useOpen();
  const kind: TicketKind = KINDS.find(({ id }) => id === open)?.id ?? "incident";
  const { data, error, refetch } = useOp("desk.get_kind", { params: { kind } });
  const found = data?.data.kind === kind ? data.data : undefined;
  return (
    <div className="settings-scroll scroll">
      <Tabs label="Kinds" tabs={KINDS} chosen={kind} onChoose={setOpen}>
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
  const refusalOf = useRefusals();
  const [tried, setTried] = useState<unknown>({});
  const params = { kind };
  const editor = useEditor<{ readonly fields: readonly OwnField[] }>({
    initial: { fields: found.fields },
    revision: 0,
    stale: "desk.",
    refusal: refusalOf("teams.update"),
    save: async ({ fields }) => {
      const ifMatch = etagOf("desk.get_kind", { params });
      const body = { fields: fields.map(toSentField) };
      await call("desk.update_kind", { params, body }, ifMatch === undefined ? {} : { ifMatch });
      return { id: kind, name: "The form" };
    },
  });
  const { fields } = editor.draft;
  return (
    <EditorForm
      title={`Fields of ${KINDS.find(({ id }) => id === kind)?.label.toLowerCase()}`}
      editor={editor}
      consequence=""
      aside={
        <section className="trial" aria-label="Preview for agents">
          <h3>Preview for agents</h3>
          {fields.length === 0 ? (
            <p className="muted">Nothing but ours yet.</p>
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
      <FieldList
        fields={fields}
        errorOf={editor.errorOf}
        onChange={(next) => editor.change({ fields: next })}
      />
    </EditorForm>
  );
}
