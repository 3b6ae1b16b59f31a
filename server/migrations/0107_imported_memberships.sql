-- Nobody knows that somebody agreed to a membership that came with an archive: see the enforcement of single sign-on.
create policy everything on workspace_imports for select to millrace_system using (true);
grant select on workspace_imports to millrace_system;
