// The Python library `traffic` with what its core needs, each pinned and installed alone: 650 MB. With all that pip would choose it is 1.1 GB, and
// with the newest pandas (3) traffic 2.13 cannot be imported.
export const trafficPackages: readonly string[] = [
  ...['--no-deps', 'traffic==2.13', 'pandas==2.2.3', 'pyarrow==26.0.1', 'numpy==2.4.6'],
  ...['Pint==0.25.3', 'Pygments==2.21.0', 'anyio==4.16.0', 'appdirs==1.4.4', 'astor==0.8.1', 'backports.zstd==1.8.0', 'brotli==1.2.1'],
  ...[
    'certifi==2026.10.18',
    'cffi==2.1.1',
    'click==8.5.1',
    'cycler==0.12.1',
    'flexcache==0.3',
    'flexparser==0.4',
    'fonttools==4.68.0',
    'geopandas==1.2.0',
  ],
  ...['h11==0.16.0', 'h2==4.4.1', 'hpack==4.2.0', 'httpcore==1.0.9', 'httpx==0.28.1', 'hyperframe==6.1.0', 'idna==3.20', 'impunity==1.0.5'],
  ...['inflate64==1.0.4', 'kiwisolver==1.5.1', 'matplotlib==3.11.2', 'multivolumefile==0.2.3', 'packaging==26.3', 'pillow==13.0.0'],
  ...[
    'pitot==0.3.2',
    'platformdirs==4.14.7',
    'py7zr==1.1.4',
    'pybcj==1.0.8',
    'pycparser==3.12',
    'pycryptodomex==3.24.2',
    'pyopensky==2.18',
  ],
  ...[
    'pyparsing==3.3.3',
    'pyppmd==1.3.1',
    'pyproj==3.7.2',
    'python-dateutil==4.0.0',
    'python-dotenv==1.2.4',
    'pytz==2026.6',
    'rich==15.0.0',
  ],
  ...['rs1090==0.7.0', 'scipy==1.17.1', 'shapely==2.2.0', 'tqdm==4.70.1', 'typing-extensions==4.16.0', 'zstandard==0.25.0'],
];
