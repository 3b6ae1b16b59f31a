/** The pages of a form open in the form designer, because a generic editor of nested lists is hard to use. */
import { useState } from "react";
import type { FieldProps } from "../../../form/index.ts";
import { count } from "../../../ui/words.ts";
import { FormDesigner } from "./form-designer.tsx";
import type { DesignedForm } from "./form-pages.ts";
import { Button } from "../../../ui/form/button.tsx";

interface DesignButtonProps {
  /** The field that contains the pages. */
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

/** Returns whether the designer can edit these pages. It can't if an expression replaces a list. */
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
