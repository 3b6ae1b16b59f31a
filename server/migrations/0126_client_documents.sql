-- Clients whose id is the address of a document of theirs, which says who they are.
alter table oauth_applications add column document_url text collate "C";
create unique index oauth_applications_document on oauth_applications (document_url);
-- Its document may say something else by the next consent.
create policy document on oauth_applications for update to millrace_app
  using (workspace_id is null and document_url is not null)
  with check (workspace_id is null and document_url is not null);
