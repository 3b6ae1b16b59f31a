import { useState } from "react";
import { call, etagOf } from "../data/api.ts";
import { Dialog } from "../ui/overlay/dialog.tsx";
import { Field } from "../ui/field.tsx";
import { ErrorNotice } from "../ui/feedback.tsx";
import { notify } from "../ui/toast.tsx";
import type { SavedQuery } from "./query-side.tsx";
import type { Parameter } from "./text/parameter.ts";
import { Button } from "../ui/form/button.tsx";
import { TextArea, TextInput } from "../ui/form/controls.tsx";

export interface QueryDraft {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

interface SaveQueryProps {
  readonly draft: QueryDraft;
  /** The one that gets a new name; without, a new one is made. */
  readonly saved?: SavedQuery | undefined;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Gives a query its name. Everybody who may run queries sees it then. */
export function SaveQuery({ draft, saved, onClose, onSaved }: SaveQueryProps) {
  const [name, setName] = useState(saved?.name ?? "");
  const [description, setDescription] = useState(saved?.description ?? "");
  const [error, setError] = useState<unknown>();
  const save = async (): Promise<void> => {
    setError(undefined);
    try {
      const body = { name: name.trim(), description, ...draft, parameters: [...draft.parameters] };
      const { data } = saved
        ? await updateQuery(saved, body)
        : await call("queries.create", { body });
      notify(`${data.name} is saved.`);
      onSaved(data.id);
    } catch (fault) {
      setError(fault);
    }
  };
  return (
    <Dialog
      title={saved ? "Rename the query" : "Save the query"}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button type="button" onClick={onClose}>
            Cancel
          </Button>
          <Button look="main" disabled={name.trim() === ""}>
            Save
          </Button>
        </>
      }
    >
      {error !== undefined && <ErrorNotice error={error as Error} />}
      <Field label="Name">
        {(attributes) => (
          <TextInput
            {...attributes}
            value={name}
            maxLength={200}
            onChange={({ target }) => setName(target.value)}
          />
        )}
      </Field>
      <Field
        label="Description"
        isOptional
        help="Everybody who may run queries finds it, and runs it with their own rights."
      >
        {(attributes) => (
          <TextArea
            {...attributes}
            rows={2}
            value={description}
            maxLength={2_000}
            onChange={({ target }) => setDescription(target.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** Changes a saved query, on condition that nobody else did since it was read. */
export function updateQuery(
  saved: SavedQuery,
  body: Partial<QueryDraft> & { readonly name?: string; readonly description?: string },
) {
  const params = { id: saved.id };
  const ifMatch = etagOf("queries.get", { params }) ?? `"${saved.revision}"`;
  const { parameters, ...rest } = body;
  return call(
    "queries.update",
    { params, body: { ...rest, ...(parameters && { parameters: [...parameters] }) } },
    { ifMatch },
  );
}
