import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Schemas } from "../../data/api.ts";
import { count, toWords } from "../../ui/words.ts";
import { toPlural } from "../class-words.ts";
import { Button } from "../../ui/form/button.tsx";

type Impact = Schemas["CmdbImpact"];
type Hit = Impact["impacted"][number];

const SHOWN_MAX = 24;

/** The impact of an item, one column per hop. Items are grouped by class, so that hundreds stay readable. */
export function ImpactLevels({ impact }: { readonly impact: Impact }) {
  const levels = [...Map.groupBy(impact.impacted, ({ hops }) => hops)].toSorted(
    ([left], [right]) => left - right,
  );
  const { counts } = impact;
  return (
    <section aria-label="Impact">
      <h2>
        {counts.items === 0 ? "No other items affected" : `${count(counts.items, "item")} affected`}
        {impact.truncated && " (list is incomplete)"}
      </h2>
      {levels.length > 0 && (
        <div className="impact-levels scroll" tabIndex={0} role="group" aria-label="By distance">
          <div className="impact-level root">
            <h3>This item</h3>
            <span className="impact-item chosen">{impact.item.name}</span>
          </div>
          {levels.map(([hops, hits]) => (
            <Level key={hops} hops={hops} hits={hits} />
          ))}
        </div>
      )}
    </section>
  );
}

function Level({ hops, hits }: { readonly hops: number; readonly hits: readonly Hit[] }) {
  const [isWhole, setWhole] = useState(false);
  const ordered = hits.toSorted(
    (a, b) => b.incidents.length - a.incidents.length || a.name.localeCompare(b.name),
  );
  const shown = isWhole ? ordered : ordered.slice(0, SHOWN_MAX);
  const classes = [...Map.groupBy(shown, (hit) => hit.class)];
  return (
    <div className="impact-level">
      <h3>
        {hops === 1 ? "Directly" : `After ${hops} hops`}{" "}
        <span className="muted">{hits.length}</span>
      </h3>
      {classes.map(([name, own]) => (
        <ul key={name} aria-label={toPlural(name)}>
          {own.map((hit) => (
            <li key={hit.id}>
              <Link
                to="/services/$id"
                params={{ id: hit.id }}
                className={`impact-item${hit.incidents.length > 0 ? " bad" : ""}`}
                title={`${toWords(hit.class)}, ${toWords(hit.via.type).toLowerCase()}`}
              >
                <span className="grow cut">{hit.name}</span>
                {hit.incidents.length > 0 && (
                  <span className="services-bad">
                    {hit.incidents.length}
                    <span className="hide"> open incidents</span>
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      ))}
      {shown.length < ordered.length && (
        <Button look="bare" onClick={() => setWhole(true)}>
          {count(ordered.length - shown.length, "more", "more")}
        </Button>
      )}
    </div>
  );
}
