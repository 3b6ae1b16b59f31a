/** The form designer: pages and fields, the settings of the selected field, and a preview of the page. */
import "./designer.css";
import { useState } from "react";
import { Dialog } from "../../../ui/overlay/dialog.tsx";
import { Tabs } from "../../../ui/tabs.tsx";
import { FieldEditor } from "./field-editor.tsx";
import { FieldRows } from "./field-rows.tsx";
import {
  addPage,
  changeField,
  type DesignedForm,
  fromSchema,
  type Pages,
  PAGES_MAX,
  type Place,
  toSchema,
} from "./form-pages.ts";
import { FormPreview } from "./form-preview.tsx";
import { Button } from "../../../ui/form/button.tsx";
import { TextArea } from "../../../ui/form/controls.tsx";

interface FormDesignerProps {
  readonly form: DesignedForm;
  readonly onChange: (pages: Pages) => void;
  readonly onClose: () => void;
}

const VIEWS = [
  { id: "fields", label: "Fields" },
  { id: "schema", label: "JSON Schema" },
] as const;

export function FormDesigner({ form, onChange: change, onClose }: FormDesignerProps) {
  const { pages = [] } = form;
  const [view, setView] = useState<(typeof VIEWS)[number]["id"]>("fields");
  const [chosen, setChosen] = useState<Place | undefined>({ page: 0, field: 0 });
  const [shown, setShown] = useState(0);
  const field = chosen && pages[chosen.page]?.fields[chosen.field];
  return (
    <Dialog title="Form" isWide onClose={onClose}>
      <div className="form-designer">
        <Tabs
          label="Form"
          tabs={VIEWS}
          chosen={view}
          onChoose={setView}
          className="form-designer-side"
        >
          {view === "schema" ? (
            <SchemaView pages={pages} onChange={change} />
          ) : (
            <>
              <FieldRows
                pages={pages}
                chosen={chosen}
                onChoose={(place) => {
                  setChosen(place);
                  if (place) setShown(place.page);
                }}
                onChange={change}
              />
              <Button
                type="button"
                disabled={pages.length >= PAGES_MAX}
                onClick={() => change(addPage(pages))}
              >
                Add page
              </Button>
              {chosen && field && (
                <FieldEditor
                  key={`${chosen.page} ${chosen.field}`}
                  field={field}
                  onChange={(next) => change(changeField(pages, chosen, next))}
                />
              )}
            </>
          )}
        </Tabs>
        <FormPreview
          title={form.title ?? ""}
          description={form.description}
          submit={form.submit}
          pages={pages}
          page={Math.min(shown, pages.length - 1)}
          onPage={setShown}
        />
      </div>
    </Dialog>
  );
}

/** The form as a JSON Schema, which users can also edit or paste. */
function SchemaView({
  pages,
  onChange,
}: {
  readonly pages: Pages;
  readonly onChange: (pages: Pages) => void;
}) {
  const [text, setText] = useState(() => JSON.stringify(toSchema(pages), null, 2));
  const read = parse(text);
  return (
    <div className="form-schema">
      <TextArea
        isMono
        rows={18}
        aria-label="JSON Schema of the response"
        spellCheck={false}
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      {"error" in read && (
        <p className="field-error" role="alert">
          {read.error}
        </p>
      )}
      <Button
        look="main"
        type="button"
        disabled={"error" in read}
        onClick={() => "pages" in read && onChange(read.pages)}
      >
        Create form from schema
      </Button>
    </div>
  );
}

function parse(text: string): ReturnType<typeof fromSchema> {
  try {
    return fromSchema(JSON.parse(text));
  } catch {
    return { error: "This is not valid JSON." };
  }
}
