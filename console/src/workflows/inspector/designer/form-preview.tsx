/** Previews a form page like the public page. Submitting is disabled. */
import { useState } from "react";
import { type FormField, type Pages, typeOf } from "./form-pages.ts";
import { Button } from "../../../ui/form/button.tsx";
import { CheckBox, FileInput, Select, TextArea, TextInput } from "../../../ui/form/controls.tsx";

interface FormPreviewProps {
  readonly title: string;
  readonly description: string | undefined;
  readonly submit: string | undefined;
  readonly pages: Pages;
  readonly page: number;
  readonly onPage: (page: number) => void;
}

export function FormPreview(props: FormPreviewProps) {
  const { title, description, submit = "Send", pages, page, onPage } = props;
  const shown = pages[page];
  if (!shown) return null;
  const isLast = page === pages.length - 1;
  return (
    <section className="form-preview scroll" aria-label="Preview">
      <h3>{title || "Untitled"}</h3>
      {page === 0 && description !== undefined && <p>{description}</p>}
      {pages.length > 1 && (
        <p className="muted">
          Page {page + 1} of {pages.length}
        </p>
      )}
      {shown.title !== undefined && <h4>{shown.title}</h4>}
      {shown.fields.map((field) => (
        // The key includes the default value, so that a new default resets the field.
        <PreviewField key={`${field.name} ${field.value ?? ""}`} field={field} />
      ))}
      <div className="row">
        {page > 0 && (
          <Button type="button" onClick={() => onPage(page - 1)}>
            Back
          </Button>
        )}
        <Button
          look="main"
          type="button"
          disabled={isLast}
          title={isLast ? "The preview can't be submitted." : undefined}
          onClick={() => onPage(page + 1)}
        >
          {isLast ? submit : "Next"}
        </Button>
      </div>
    </section>
  );
}

const INPUTS: Readonly<Record<string, string>> = {
  email: "email",
  number: "number",
  date: "date",
  password: "password",
  file: "file",
};

function PreviewField({ field }: { readonly field: FormField }) {
  const [value, setValue] = useState(field.value ?? "");
  const { name, label = name, help, options = [], placeholder, maxLength } = field;
  const type = typeOf(field);
  const words = (
    <>
      {label}
      {field.required === true && <i className="form-star" title="Required" />}
    </>
  );
  const about = help !== undefined && <small className="muted">{help}</small>;
  if (type === "hidden") return null;
  if (type === "checkbox" || type === "choices") {
    const choices = type === "choices" ? options : [label];
    return (
      <fieldset className="form-preview-field">
        {type === "choices" && <legend>{words}</legend>}
        {choices.map((choice) => (
          <label key={choice} className="check-line">
            <CheckBox />
            {type === "choices" ? choice : words}
          </label>
        ))}
        {about}
      </fieldset>
    );
  }
  const shared = { className: "field", placeholder, maxLength };
  return (
    <label className="form-preview-field">
      <span>{words}</span>
      {type === "textarea" && (
        <TextArea
          {...shared}
          isBare
          rows={4}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      )}
      {type === "choice" && (
        <Select>
          <option value="">Select</option>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </Select>
      )}
      {type === "file" && <FileInput className="field" />}
      {type !== "textarea" && type !== "choice" && type !== "file" && (
        <TextInput
          {...shared}
          isBare
          type={INPUTS[type] ?? "text"}
          value={value}
          onChange={({ target }) => setValue(target.value)}
        />
      )}
      {about}
    </label>
  );
}
