/** The pages of a form have a screen of their own: as a list of lists nobody finds their way in them. */
import { useState } from "react";
import type { FieldProps } from "../../../form/index.ts";
import { count } from "../../../ui/words.ts";
import { FormDesigner } from "./form-designer.tsx";
import type { DesignedForm } from "./form-pages.ts";
import { Button } from "../../../ui/form/button.tsx";

interface DesignButtonProps {
  /** That of the pages. */
  readonly field: FieldProps;
  readonly form: DesignedForm;
}

export function DesignButton({ field, form }: DesignButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const pages = count(form.pages?.length ?? 0, "page");
  return (
    <>
      <Button
        type="button"
        id={field.id}
        aria-label={`Design the form, ${pages}`}
        aria-describedby={field.describedBy}
        disabled={field.isDisabled}
        onClick={() => setOpen(true)}
      >
        <span>
          Design the form<span className="muted">, {pages}</span>
        </span>
      </Button>
      {isOpen && (
        <FormDesigner form={form} onChange={field.onChange} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

/** True for pages without templates in the place of lists, which only their author understands. */
export function isDesignable(pages: unknown): boolean {
  if (!Array.isArray(pages)) return false;
  return pages.every(({ fields }: { readonly fields?: unknown }) => {
    if (!Array.isArray(fields)) return false;
    return fields.every((field: unknown) => {
      const { name, options = [] } = Object(field) as Readonly<Record<string, unknown>>;
      return typeof name === "string" && Array.isArray(options);
    });
  });
}
