import "../services.css";
import "../item/item-page.css";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { ArrowLeft } from "lucide-react";
import { useOp } from "../../data/api.ts";
import { useRefusals } from "../../data/people.ts";
import { NEW, Shelf } from "../../desk-settings/index.ts";
import { useTitle } from "../../shell/title.ts";
import { count, toWords } from "../../ui/words.ts";
import { toTable } from "./attribute-model.ts";
import { ClassEditor } from "./class-editor.tsx";

/** Item classes and their attributes. */
export function Classes() {
  useTitle("Classes");
  const { open } = useSearch({ from: "/inside/services/classes" });
  const navigate = useNavigate();
  const refusalOf = useRefusals();
  const refusal = refusalOf("cmdb.import");
  const { data, error, isPending, refetch } = useOp("cmdb.list_classes", { query: { limit: 200 } });
  const show = (name: string | undefined): void =>
    void navigate({ to: "/services/classes", search: { open: name } });
  const classes = data?.data ?? [];
  const chosen = classes.find(({ name }) => name === open);
  return (
    <div className="page classes-page">
      <header className="page-head">
        <Link className="btn bare icon" aria-label="Services" to="/services">
          <ArrowLeft />
        </Link>
        <h1>Classes</h1>
      </header>
      <Shelf
        label="Classes"
        make="New class"
        refusal={refusal}
        place={[open, show]}
        nothing="A class defines the attributes of its items, for example the IP address of a server."
        items={classes.map((one) => {
          const { lines } = toTable(one.attributes);
          return {
            id: one.name,
            label: one.label === "" ? toWords(one.name) : one.label,
            about: [
              lines.length === 0 ? "Any attributes" : count(lines.length, "attribute"),
              ...(one.extends === null ? [] : [`and inherited from ${toWords(one.extends)}`]),
            ].join(" "),
            mark: one.builtIn && <span className="tag idle">Built in</span>,
          };
        })}
        {...{ error, isPending }}
        onRetry={() => void refetch()}
      >
        {(chosen || open === NEW) && (
          <ClassEditor key={open} class={chosen} classes={classes} onOpen={show} />
        )}
      </Shelf>
    </div>
  );
}
