import type { Form } from "../../data/form/use-form.ts";
import { TextAreaField, TextField } from "../../ui/form/text-field.tsx";
import type { TicketDraft } from "./draft.ts";

export interface KindFieldsProps {
  readonly form: Form<TicketDraft>;
}

/** The title and the description. */
export function TextFields({ form }: KindFieldsProps) {
  return (
    <>
      <TextField {...form.field("title")} isRequired />
      <TextAreaField {...form.field("description")} />
    </>
  );
}
