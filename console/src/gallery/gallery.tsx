import "./gallery.css";
import { Link, useSearch } from "@tanstack/react-router";
import { lazy, Suspense } from "react";
import { Loading } from "../ui/feedback.tsx";
import { BasicSection } from "./basic-section.tsx";
import { DisplaySection } from "./display-section.tsx";
import { OverlaySection } from "./overlay-section.tsx";

const CodeSection = lazy(async () => {
  const { CodeSection: component } = await import("./code-section.tsx");
  return { default: component };
});
const FieldSection = lazy(async () => {
  const { FieldSection: component } = await import("./field-section.tsx");
  return { default: component };
});
const FormSection = lazy(async () => {
  const { FormSection: component } = await import("./form-section.tsx");
  return { default: component };
});

const SECTIONS = {
  basics: { label: "Basics", Section: BasicSection },
  overlays: { label: "Overlays", Section: OverlaySection },
  fields: { label: "Fields", Section: FieldSection },
  form: { label: "Schema form", Section: FormSection },
  code: { label: "Code", Section: CodeSection },
  display: { label: "Display", Section: DisplaySection },
} as const;
type SectionId = keyof typeof SECTIONS;
const IDS = Object.keys(SECTIONS) as readonly SectionId[];

/** All components in all states, for developers and designers. */
export function Gallery() {
  const { section } = useSearch({ from: "/inside/components" });
  const chosen = IDS.find((id) => id === section) ?? "basics";
  const { Section } = SECTIONS[chosen];
  return (
    <div className="page">
      <header className="page-head gallery-head">
        <h1>Components</h1>
        <nav className="tabs" aria-label="Sections">
          {IDS.map((id) => (
            <Link
              key={id}
              to="/components"
              search={{ section: id }}
              aria-current={id === chosen ? "page" : undefined}
            >
              {SECTIONS[id].label}
            </Link>
          ))}
        </nav>
      </header>
      <div
        className="scroll gallery"
        tabIndex={0}
        role="region"
        aria-label={SECTIONS[chosen].label}
      >
        <Suspense fallback={<Loading />}>
          <Section />
        </Suspense>
      </div>
    </div>
  );
}
