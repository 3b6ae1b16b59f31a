import { CHANGE_TYPE } from "@millrace/client/enums";
import { choicesOf } from "../../ui/form/choices.ts";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { ApiError, call, type Input, useOp } from "../../data/api.ts";
import { describeRefusal } from "../../data/change.ts";
import { Field } from "../../ui/field.tsx";
import { Dialog } from "../../ui/overlay/dialog.tsx";
import { notify } from "../../ui/toast.tsx";
import { ItemPicker } from "../../services/index.ts";
import type { Change } from "../change/use-change.ts";
import { ApproverFields } from "./approver-fields.tsx";
import { draftOf, fillFrom, toBody, type ChangeDraft } from "./change-draft.ts";
import { Button } from "../../ui/form/button.tsx";
import { Select, TextArea, TextInput } from "../../ui/form/controls.tsx";

interface ChangeFormProps {
  /** The change to edit; without one a new one is drafted. */
  readonly change?: Change;
  readonly ifMatch?: string | undefined;
  readonly onClose: () => void;
}

const TYPES = choicesOf(CHANGE_TYPE, {
  normal: "Normal",
  emergency: "Emergency",
  standard: "Standard: from a template that was agreed to once and for all",
});

/**
 * Drafts a change, from a template or from nothing, or edits one. A draft is private: nobody votes before it is handed
 * in.
 */
export function ChangeForm({ change, ifMatch, onClose }: ChangeFormProps) {
  const navigate = useNavigate();
  const [draft, setDraft] = useState<ChangeDraft>(() => draftOf(change));
  const [faults, setFaults] = useState<ReadonlyMap<string, string>>(new Map());
  const [problem, setProblem] = useState<string>();
  const set = (next: Partial<ChangeDraft>): void => setDraft((old) => ({ ...old, ...next }));
  const submit = async (): Promise<void> => {
    try {
      const number = change
        ? await update(change, draft, ifMatch)
        : (await call("changes.create", { body: toBody(draft) as Input<"changes.create">["body"] }))
            .data.number;
      notify(
        change ? `${number} was changed.` : `${number} is drafted. Hand it in when it is ready.`,
      );
      onClose();
      if (!change) await navigate({ to: "/changes/$id", params: { id: number } });
    } catch (error) {
      const errors = error instanceof ApiError ? (error.errors ?? []) : [];
      setFaults(new Map(errors.map(({ path, message }) => [path.split("/")[1] ?? "", message])));
      setProblem(errors.length > 0 ? "Look at what is marked." : describeRefusal(error));
    }
  };
  const text = (field: keyof ChangeDraft, label: string, rows: number, help?: string) => (
    <Field label={label} error={faults.get(field)} isOptional={field !== "title"} help={help}>
      {(attributes) => (
        <TextArea
          {...attributes}
          rows={rows}
          value={String(draft[field])}
          disabled={draft.type === "standard" && BOUND.has(field)}
          onChange={({ target }) => set({ [field]: target.value })}
        />
      )}
    </Field>
  );
  return (
    <Dialog
      title={change ? `Edit ${change.number}` : "New change"}
      isWide
      onClose={onClose}
      onSubmit={() => void submit()}
      footer={
        <>
          {problem !== undefined && (
            <p className="field-error grow" role="alert">
              {problem}
            </p>
          )}
          <Button look="main">{change ? "Save" : "Draft it"}</Button>
        </>
      }
    >
      <div className="change-form">
        {!change && <TemplateField draft={draft} onFill={setDraft} />}
        <Field label="Title" error={faults.get("title")}>
          {(attributes) => (
            <TextInput
              {...attributes}
              required
              maxLength={300}
              value={draft.title}
              onChange={({ target }) => set({ title: target.value })}
            />
          )}
        </Field>
        <KindFields draft={draft} faults={faults} onChange={set} />
        <Field
          label="Affected items"
          isOptional
          help="Conflicts and risk are found by these."
          error={faults.get("ciIds")}
        >
          {({ id }) => (
            <ItemPicker
              id={id}
              label="Affected items"
              value={draft.ciIds}
              onChange={(ciIds) => set({ ciIds })}
            />
          )}
        </Field>
        {text("justification", "Why", 2)}
        {text("implementationPlan", "How", 4)}
        {text("testPlan", "How it is checked", 2)}
        {text("rollbackPlan", "The way back", 2)}
        {draft.type !== "standard" && (
          <ApproverFields draft={draft} fault={faults.get("approval")} onChange={set} />
        )}
      </div>
    </Dialog>
  );
}

/** The fields that a template has decided. */
const BOUND: ReadonlySet<string> = new Set(["implementationPlan", "rollbackPlan", "testPlan"]);

async function update(
  change: Change,
  draft: ChangeDraft,
  ifMatch: string | undefined,
): Promise<string> {
  const { templateId: _, ...body } = toBody(draft);
  const input = { params: { id: change.id }, body } as Input<"changes.update">;
  await call("changes.update", input, ifMatch === undefined ? {} : { ifMatch });
  return change.number;
}

function TemplateField(props: {
  readonly draft: ChangeDraft;
  readonly onFill: (draft: ChangeDraft) => void;
}) {
  const { data } = useOp("change_templates.list", { query: { limit: 100 } });
  const templates = (data?.data ?? []).filter(({ active }) => active);
  if (templates.length === 0) return null;
  return (
    <Field label="From">
      {(attributes) => (
        <Select
          {...attributes}
          value={props.draft.templateId}
          onChange={({ target }) =>
            props.onFill(
              fillFrom(
                props.draft,
                templates.find(({ id }) => id === target.value),
              ),
            )
          }
        >
          <option value="">Nothing</option>
          {templates.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

function KindFields(props: {
  readonly draft: ChangeDraft;
  readonly faults: ReadonlyMap<string, string>;
  readonly onChange: (next: Partial<ChangeDraft>) => void;
}) {
  const { draft, faults, onChange } = props;
  return (
    <div className="change-form-row">
      <Field label="Kind" error={faults.get("type")}>
        {(attributes) => (
          <Select
            {...attributes}
            value={draft.type}
            onChange={({ target }) => onChange({ type: target.value as ChangeDraft["type"] })}
          >
            {TYPES.map(([value, label]) => (
              <option
                key={value}
                value={value}
                disabled={value === "standard" && draft.templateId === ""}
              >
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <Field label="Impact" error={faults.get("impact")}>
        {(attributes) => (
          <Select
            {...attributes}
            value={draft.impact}
            disabled={draft.type === "standard"}
            onChange={({ target }) => onChange({ impact: Number(target.value) })}
          >
            <option value={1}>High</option>
            <option value={2}>Medium</option>
            <option value={3}>Low</option>
          </Select>
        )}
      </Field>
      {(["plannedStart", "plannedEnd"] as const).map((field) => (
        <Field
          key={field}
          label={field === "plannedStart" ? "From" : "To"}
          isOptional
          error={faults.get(field)}
        >
          {(attributes) => (
            <TextInput
              {...attributes}
              type="datetime-local"
              value={draft[field]}
              onChange={({ target }) => onChange({ [field]: target.value })}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
