/** The tag of a thing in this revision, and of how it is shown; that is left out while it is the first. */
export function etagOf(revision: number, formRevision = 1): string {
  return formRevision === 1 ? `"${revision}"` : `"${revision}-${formRevision}"`;
}

/** Whether a tag is one of a thing in this revision, however that was shown. */
export function isOfRevision(etag: string, revision: number): boolean {
  return etag.replace(OF_FORM, '"') === etagOf(revision);
}

const OF_FORM = /-\d+"$/;
