import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useOp } from "../../data/api.ts";
import { Empty, ErrorNotice, Loading } from "../../ui/feedback.tsx";
import { count } from "../../ui/words.ts";
import { CATEGORIES, findPresets, monogramOf, type PresetSummary } from "./preset.ts";
import { TypeGallery } from "./type-gallery.tsx";
import { PlainButton } from "../../ui/form/button.tsx";
import { TextInput } from "../../ui/form/controls.tsx";

/** The service catalogue with search and categories; generic types are below. */
export function PresetGallery() {
  const [words, setWords] = useState("");
  const [category, setCategory] = useState<string>();
  const { data, error, isPending, refetch } = useOp("connectors.presets", {
    query: { limit: 200 },
  });
  if (error) return <ErrorNotice error={error} retry={() => void refetch()} />;
  if (isPending) return <Loading rows={8} />;
  const present = new Set(data.data.map((one) => one.category as string));
  const found = findPresets(data.data, words, category);
  return (
    <>
      <div className="con-filters">
        <TextInput
          className="con-find"
          type="search"
          aria-label="Search services"
          placeholder="Search services…"
          value={words}
          onChange={({ target }) => setWords(target.value)}
        />
        <div className="con-categories" role="group" aria-label="Categories">
          {Object.entries(CATEGORIES)
            .filter(([name]) => present.has(name))
            .map(([name, label]) => (
              <PlainButton
                key={name}
                type="button"
                className="con-category"
                aria-pressed={category === name}
                onClick={() => setCategory(category === name ? undefined : name)}
              >
                {label}
              </PlainButton>
            ))}
        </div>
      </div>
      {found.length === 0 ? (
        <Empty title="No matching services">
          You can connect any HTTP API by its URL. See the types below.
        </Empty>
      ) : (
        <ul className="con-presets" aria-label="Services">
          {found.map((one) => (
            <PresetCard key={one.id} preset={one} />
          ))}
        </ul>
      )}
      <h2>Other connections</h2>
      <TypeGallery />
    </>
  );
}

function PresetCard({ preset }: { readonly preset: PresetSummary }) {
  const { id, title, type, actions, triggers } = preset;
  const search = type === "preset" ? { preset: id } : { type };
  return (
    <li>
      <Link to="/connectors/new" search={search} className="con-preset">
        <Monogram title={title} />
        <span className="con-title">
          <strong className="cut">{title}</strong>
          <span className="muted">
            {actions === 0
              ? "Has its own connector type"
              : `${count(actions, "action")}${triggers > 0 ? `, ${count(triggers, "trigger")}` : ""}`}
          </span>
        </span>
      </Link>
    </li>
  );
}

/** A fallback icon with the initials of the service. */
export function Monogram({ title }: { readonly title: string }) {
  return (
    <span className="con-icon con-monogram" aria-hidden="true">
      {monogramOf(title)}
    </span>
  );
}
