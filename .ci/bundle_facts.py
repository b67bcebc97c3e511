"""What the bundle tells its system about itself: an Info.plist on macOS, a version resource on Windows."""

from typing import Any

TITLE = "Transformer Explorer"
ABOUT = "See a whole Transformer at work"
RIGHTS = "© 2026 The Transformer Explorer developers · MIT"
IDENTIFIER = "local.transformer-explorer"
"""An identifier for macOS. The project has no domain; `local` is the one that belongs to nobody."""
SESSION = f"{IDENTIFIER}.session"
OLDEST_MACOS = "14.0"  # torch 2.13, which a machine that makes the bundle installs, runs on nothing older.
ENGLISH, UNICODE = 0x0409, 1200


def info_plist(version: str) -> dict[str, Any]:
    """The entries of Info.plist beyond those that PyInstaller writes, for a version such as "0.2.0".

    macOS goes by the last part of a name alone: `*.explorer` is ours and opens by a double click; for `*.explorer.toml` and
    `*.lesson.toml`, which are TOML to it, the program is offered under "Open With".
    """
    kinds = [
        {"CFBundleTypeName": "Transformer Explorer session", "LSItemContentTypes": [SESSION], "LSHandlerRank": "Owner"},
        {"CFBundleTypeName": "Session or lesson (TOML)", "CFBundleTypeExtensions": ["toml"], "LSHandlerRank": "Alternate"},
    ]
    own = {
        "UTTypeIdentifier": SESSION,
        "UTTypeDescription": "Transformer Explorer session with its model",
        "UTTypeConformsTo": ["public.data", "public.zip-archive"],
        "UTTypeTagSpecification": {"public.filename-extension": ["explorer"]},
    }
    return {
        "CFBundleDisplayName": TITLE,
        "CFBundleVersion": version,
        "CFBundleLocalizations": ["en", "zh-Hans"],
        "CFBundleDocumentTypes": [{**kind, "CFBundleTypeRole": "Editor"} for kind in kinds],
        "UTExportedTypeDeclarations": [own],
        "LSApplicationCategoryType": "public.app-category.education",
        "LSMinimumSystemVersion": OLDEST_MACOS,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": RIGHTS,
        "NSPrincipalClass": "NSApplication",
    }


def version_resource(version: str, program: str) -> str:
    """The version resource of one program of the bundle, as a text that PyInstaller reads."""
    four = (*map(int, version.split(".")[:3]), 0)
    told = {
        "CompanyName": "The Transformer Explorer developers",
        "FileDescription": TITLE,
        "FileVersion": version,
        "InternalName": program,
        "LegalCopyright": RIGHTS,
        "OriginalFilename": f"{program}.exe",
        "ProductName": TITLE,
        "ProductVersion": version,
    }
    rows = ", ".join(f"StringStruct({name!r}, {value!r})" for name, value in told.items())
    table = f"StringTable('{ENGLISH:04x}{UNICODE:04x}', [{rows}])"
    fixed = (
        f"FixedFileInfo(filevers={four}, prodvers={four}, mask=0x3F, flags=0, OS=0x40004, fileType=1, subtype=0, date=(0, 0))"
    )
    languages = f"VarFileInfo([VarStruct('Translation', [{ENGLISH}, {UNICODE}])])"
    return f"VSVersionInfo(ffi={fixed}, kids=[StringFileInfo([{table}]), {languages}])\n"
