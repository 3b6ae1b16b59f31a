import { etagOf } from "../data/api.ts";
import { useForm } from "../data/form/use-form.ts";
import { perform } from "../data/use-command.ts";
import { FormDialog } from "../ui/form/form-dialog.tsx";
import { TextAreaField, TextField } from "../ui/form/text-field.tsx";
import type { SavedQuery } from "./query-side.tsx";
import type { Parameter } from "./text/parameter.ts";

export interface QueryDraft {
  readonly sql: string;
  readonly parameters: readonly Parameter[];
}

interface SaveQueryProps {
  readonly draft: QueryDraft;
  /** The query to rename; undefined creates a new one. */
  readonly saved?: SavedQuery | undefined;
  readonly onClose: () => void;
  readonly onSaved: (id: string) => void;
}

/** Names and saves a query, which all users with permission to run queries can see. */
export function SaveQuery({ draft, saved, onClose, onSaved }: SaveQueryProps) {
  const params = { id: saved?.id ?? "" };
  const form = useForm(saved ? "queries.update" : "queries.create", {
    params,
    initial: { name: saved?.name, description: saved?.description },
    fixed: { ...draft },
    version: saved && { etag: etagOf("queries.get", { params }) ?? `"${saved.revision}"` },
    said: ({ data: { name } }) => `${name} saved.`,
    onDone: ({ data: { id } }) => onSaved(id),
  });
  return (
    <FormDialog form={form} title={saved ? "Rename query" : "Save query"} onClose={onClose}>
      <TextField {...form.field("name")} />
      <TextAreaField
        {...form.field("description")}
        help="Everyone who can run queries can find and run it, with their own permissions."
        rows={2}
      />
    </FormDialog>
  );
}

/** Updates a saved query with the ETag that was read, so that other users' changes are not overwritten. */
export function updateQuery(saved: SavedQuery, draft: QueryDraft) {
  const params = { id: saved.id };
  const ifMatch = etagOf("queries.get", { params }) ?? `"${saved.revision}"`;
  return perform(
    "queries.update",
    { params, body: draft },
    { ifMatch, said: `${saved.name} saved.` },
  );
}
