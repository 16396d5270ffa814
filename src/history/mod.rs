//! A repository at any moment: snapshots from git objects or plain folders, base commits, versions, provenance.
